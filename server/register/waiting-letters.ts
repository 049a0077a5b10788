import { letterOf, type WaitingLetterAt } from '#server/letters/letter-kind.ts';
import { letterTable } from '#server/letters/table.ts';
import { addressDigest } from '#server/mail/digests.ts';
import { isWaitingMail, MAIL_KINDS, type WaitingMail, type WaitingMailKind } from '#server/mail/job.ts';
import { mailVersion } from '#server/mail/queued-job.ts';
import { isLost, isUndeliverable, isUnreachable } from '#server/record/bounces.ts';
import { type WaitingRecord, waitingStateOf } from '#server/record/waiting-record.ts';

const waitingLetters: { readonly [Kind in WaitingMailKind]: WaitingLetterAt<Kind> } = letterTable;

/** When a retreat begins; after that nobody takes a place in it. */
export function beginningOf({ timetable, facts }: WaitingRecord['edition']): Date {
  return new Date(timetable.sessions[0]?.startsAt ?? facts.endsAt);
}

/**
 * The letter of a kind with an entry's facts at a moment, sent or not; undefined when its condition does not
 * hold, once the retreat has begun, and when it would go to an address that bounces.
 */
function waitingLetterNow(kind: WaitingMailKind, record: WaitingRecord, now: Date): WaitingMail | undefined {
  const { id, edition, registrant, joinedAt } = record;
  const about = { waitingId: id, edition: edition.facts.id, ...registrant, joinedAt: joinedAt.toISOString() };
  const facts = now < beginningOf(edition) ? waitingLetters[kind].now(record, now) : undefined;
  const letter = facts && letterOf(kind, about, facts);
  return letter && !isUndeliverable(letter, [record.bounced]) ? letter : undefined;
}

/**
 * Whether somebody on the list may lack information: letters to her bounce, or the one with her offer may be
 * lost.
 */
export function isOutOfReach(record: WaitingRecord, now: Date): boolean {
  const { offer, registrant, bounced } = record;
  const state = waitingStateOf(record, now);
  if (state !== 'waiting' && state !== 'offered') return false;
  if (isUnreachable(record)) return true;
  if (state !== 'offered' || offer === undefined) return false;
  return isLost({ to: addressDigest(registrant.email), at: offer.at }, bounced);
}

/** The letters that are due for an entry: true at this moment, and not sent or dismissed. */
export function waitingLettersDue(record: WaitingRecord, now: Date): WaitingMail[] {
  return MAIL_KINDS.filter(isWaitingMail).flatMap((kind) => {
    const letter = waitingLetterNow(kind, record, now);
    return letter && !isToldWaiting(letter, record) ? [letter] : [];
  });
}

/** Whether it was sent, or a person dismissed it. */
function isToldWaiting(letter: WaitingMail, { letters }: Pick<WaitingRecord, 'letters'>): boolean {
  return letters.some(({ kind, version }) => kind === letter.kind && version === mailVersion(letter));
}

/**
 * A queued letter as it is to be sent now; undefined once she has left the list, or it is no longer true or
 * due.
 */
export function waitingLetterDue(
  { kind, version }: { kind: WaitingMailKind; version: string },
  record: WaitingRecord | undefined,
  now: Date,
): WaitingMail | undefined {
  const letter = record && waitingLetterNow(kind, record, now);
  if (!letter || mailVersion(letter) !== version) return undefined;
  return isToldWaiting(letter, record) ? undefined : letter;
}
