import { letterTable } from '#server/letters/table.ts';
import { addressDigest } from '#server/mail/digests.ts';
import { isKind } from '#server/mail/job.ts';
import type { Bounced } from '#server/record/bounce-mark.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { moment } from './plain-words.ts';

/** What happened to letters to her address, for the office; undefined if none bounced and she complained about none. */
export function bounceWords(record: RegistrationRecord): string | undefined {
  const { bounced, registrant } = record;
  if (!bounced) return undefined;
  const what = `${whatCameOfIt(bounced)} on ${moment(bounced.at, record)}`;
  const where = bounced.to === addressDigest(registrant.email) ? '' : ', at an earlier address';
  return `${what}${where}${overWords(bounced, record)}`;
}

/** The same for one letter that was sent to an address; undefined if that is not the one on record. */
export function cameBack(
  { bounced, ...record }: RegistrationRecord,
  letter: { kind: string; to?: string },
): string | undefined {
  if (bounced?.kind !== letter.kind) return undefined;
  if (letter.to !== undefined && addressDigest(letter.to) !== bounced.to) return undefined;
  const words = bounced.type === 'bounce' ? 'It came back' : 'She marked it as spam';
  return `${words} on ${moment(bounced.at, record)}.`;
}

/** Such as “Welcome” came back. */
export function whatCameOfIt({ type, kind }: Bounced): string {
  const letter = kind === undefined ? 'a letter to her' : `the letter “${letterWordsOf(kind)}”`;
  return type === 'bounce' ? `${letter} came back` : `she marked ${letter} as spam`;
}

function overWords({ type, over, by }: Bounced, record: RegistrationRecord): string {
  if (!over) return type === 'bounce' ? '; nothing is sent to that address' : '';
  return by === undefined ? '; it is tried again' : `; settled by ${by} on ${moment(over, record)}`;
}

/** The words for a kind that was recorded; another release may have recorded kinds that this one does not know. */
function letterWordsOf(kind: string): string {
  return isKind(kind) ? letterTable[kind].name : kind;
}
