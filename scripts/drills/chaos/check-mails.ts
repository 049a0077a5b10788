import { type Circumstances, mayRepeat } from './may-repeat.ts';
import { namedBy, nameOf, type OwedMail } from './owed.ts';
import type { AcceptedMail } from './smtp-sink.ts';

/** What became of the mails. */
export interface MailCount {
  expected: number;
  received: number;
  lost: number;
  /** Taken once more with the same Message-ID. */
  repeated: number;
  /** The most copies that came of one mail. */
  mostCopies: number;
  problems: string[];
}

/** Compares what the mail server took with what the registrations owe. */
export function checkMails(
  owed: readonly OwedMail[],
  mails: readonly AcceptedMail[],
  circumstances: Circumstances,
): MailCount {
  const taken = byName(mails);
  const problems: string[] = [];
  let [received, repeated, mostCopies] = [0, 0, 0];
  for (const mail of owed) {
    const copies = taken.get(nameOf(mail)) ?? [];
    taken.delete(nameOf(mail));
    if (copies.length === 0) problems.push(`${nameOf(mail)} is lost`);
    else received += 1;
    repeated += Math.max(0, copies.length - 1);
    mostCopies = Math.max(mostCopies, copies.length);
    problems.push(...checkCopies(mail, copies, circumstances));
  }
  for (const [name, copies] of taken) problems.push(`${copies.length} × ${name} was not expected`);
  return { expected: owed.length, received, lost: owed.length - received, repeated, mostCopies, problems };
}

function byName(mails: readonly AcceptedMail[]): Map<string, AcceptedMail[]> {
  const taken = new Map<string, AcceptedMail[]>();
  for (const mail of mails) {
    const name = namedBy(mail.messageId);
    taken.set(name, [...(taken.get(name) ?? []), mail]);
  }
  return taken;
}

function checkCopies(
  mail: OwedMail,
  copies: readonly AcceptedMail[],
  circumstances: Circumstances,
): string[] {
  const problems: string[] = [];
  const ids = new Set(copies.map(({ messageId }) => messageId));
  if (ids.size > 1) problems.push(`${nameOf(mail)} came under ${ids.size} Message-IDs`);
  for (const copy of copies) {
    if (copy.recipients.join() !== mail.recipient) problems.push(`${nameOf(mail)} went to somebody else`);
  }
  for (const copy of copies.slice(0, -1)) {
    if (!mayRepeat(copy, circumstances))
      problems.push(`${nameOf(mail)} was repeated without a crash or a cut`);
  }
  return problems;
}
