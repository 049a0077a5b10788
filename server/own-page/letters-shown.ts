import { type AnnouncedToAll, factsOf } from '#server/letters/letter-kind.ts';
import { allAnnounced } from '#server/letters/retreat-letters.ts';
import { laterLettersDue, laterLettersNow, letterTable } from '#server/letters/table.ts';
import { isWelcome } from '#server/letters/welcome.ts';
import {
  isKind,
  isLaterMail,
  type KeptMailKind,
  letterName,
  type MailKind,
  type MailKindTo,
  mailRules,
  type RegistrationMail,
} from '#server/mail/job.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Message } from '#server/payments/announcements.ts';
import { isUnreachable } from '#server/record/bounces.ts';
import { balanceTermsOf } from '#server/record/card-on-file.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { stateOf } from '#server/record/registration-state.ts';
import type { OwnPageLetter } from '#shared/content/own-page-view.ts';
import { asAgreed } from '#shared/content/tuition.ts';

/** A letter to her that can be sent again. */
type ShownKind = KeptMailKind & MailKindTo<'registrant'>;

/** Whether her page lists a letter once it is sent or owed: those to her since she has paid the deposit. */
function isShown(kind: MailKind): kind is ShownKind {
  const rule = mailRules[kind];
  if (rule.to !== 'registrant' || kind === 'unfinished') return false;
  return rule.about === 'later' || ('owed' in rule && rule.owed === 'once paid');
}

/** The letters that her page lists, in the order in which they are sent. */
export const shownKinds = Object.keys(letterTable).filter(isKind).filter(isShown);

/**
 * The state of the letters to her: from the register and, for those that are owed, from the queue.
 */
export async function lettersShown(
  record: RegistrationRecord,
  now: Date,
  announced: AnnouncedToAll,
  mailQueue: Pick<MailQueue, 'stateOf'>,
  messages: readonly Message[],
): Promise<OwnPageLetter[]> {
  const owed = lettersOwed(record, now, announced);
  const shown = shownKinds.map(async (kind): Promise<OwnPageLetter[]> => {
    const waiting = owed.find((job) => job.kind === kind);
    if (!waiting && record.letters[kind] !== 'sent') return [];
    const cameBack = isUnreachable(record) && record.bounced?.kind === kind;
    const state = waiting ? await mailQueue.stateOf(waiting) : cameBack ? 'failed' : 'sent';
    const again = state !== 'waiting' && applies(kind, record, now);
    const subject = letterTable[kind].subject(asAgreed(record.edition, balanceTermsOf(record)));
    return [{ kind, subject, state, again }];
  });
  return [...(await Promise.all(shown)).flat(), ...writtenTo(record, messages)];
}

/** The letters that the office wrote and that she has had, the oldest first. */
function writtenTo(record: RegistrationRecord, messages: readonly Message[]): OwnPageLetter[] {
  const { bounced, endedLetters } = record;
  const isLost = isUnreachable(record);
  return messages.toReversed().flatMap(({ message: version, subject }): OwnPageLetter[] => {
    const name = letterName({ kind: 'message', version });
    const sent = endedLetters.find((one) => letterName(one) === name && one.state === 'sent');
    if (!sent) return [];
    const cameBack = isLost && bounced?.kind === 'message' && bounced.at >= sent.at;
    return [{ kind: name, subject, state: cameBack ? 'failed' : 'sent', again: !isLost }];
  });
}

/** The letters that are true and not sent, with as much of their data as their job ids need. */
function lettersOwed(record: RegistrationRecord, now: Date, announced: AnnouncedToAll): RegistrationMail[] {
  const due = laterLettersDue(record, now, announced);
  if (record.letters.welcome !== 'owed' || !isWelcome(record, now)) return due;
  const { depositCents: amountCents } = record;
  return [{ kind: 'welcome', ...factsOf(record), amountCents }, ...due];
}

/** Whether a letter still applies, so that it can be sent again. */
function applies(kind: ShownKind, record: RegistrationRecord, now: Date): boolean {
  if (isLaterMail(kind))
    return laterLettersNow(kind, record, now, allAnnounced(record.edition, now)).length > 0;
  return kind === 'welcome' ? isWelcome(record, now) : stateOf(record, now) === kind;
}
