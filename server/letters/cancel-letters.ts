import {
  canUndoCancel,
  cardOfBalance,
  type Decision,
  HERSELF,
  isDepositBack,
  type RegistrationRecord,
  refundAt,
  stateOf,
  undoUntil,
  workedOffFrom,
} from '#server/registration/registration.ts';
import { cancelTexts, describeCancellingAgain } from '#shared/content/cancel-words.ts';
import { cardsOfRefund } from '#shared/content/card-words.ts';
import { tellMoment, tellMomentToSecond } from '#shared/content/moments.ts';
import type { LetterKinds, Said } from './letter-kind.ts';
import { comesNext, leftInWords } from './money.ts';
import { noticeToOffice } from './office-letters.ts';
import { type Refunded, refundFacts } from './refund-letters.ts';
import { factTable, heading, type Passage } from './render/letter.ts';
import { fullName } from './render/names.ts';
import { pageButton, type Writing, waysToAsk } from './render/parts.ts';

const { nothingCharged, banks } = cancelTexts;
const byPolicy = 'By the policies that you agreed to, nothing comes back.';

export const cancelLetters = {
  /** Until it is carried out: that we have it, what comes back, and until when she can take it back. */
  'cancel-received': {
    name: 'You have cancelled',
    due(record, now) {
      const cancel = ownCancel(record);
      if (!cancel || stateOf(record, now) !== 'cancelling') return undefined;
      return {
        at: cancel.at,
        says(w) {
          const refund = refundAt(record, cancel.writtenAt);
          const isBack = refund.byCardCents + refund.byCheckCents > 0;
          const intro = cancel.onPage
            ? `You cancelled your place in ${w.title} on your own page, on ${w.moment(cancel.writtenAt)}. That counts as written notice, and the retreat office gets it too.`
            : `The retreat office has received your written cancellation of your place in ${w.title}, dated ${w.day(cancel.writtenAt)}.`;
          return {
            title: 'We have your cancellation',
            blocks: [
              `${intro} ${nothingCharged} We are sorry that we won’t meet you this time.`,
              heading('What comes back to you'),
              !isBack && byPolicy,
              factTable(refundFacts(refund, cardsOfRefund(cardOfBalance(record)))),
              isBack && whenGivenBack(record, refund, now, w),
              ...undoWords(record, refund, now, w),
              pageButton(record, w, 'Your own page'),
            ],
          };
        },
      };
    },
  },

  /** Her cancellation on her page is the written record, to the second; then that she has undone one. */
  'office-cancel': {
    to: 'office',
    name: 'To the office: she has cancelled, or undone it',
    newsDays: 14,
    due(record, now) {
      const cancel = ownCancel(record);
      if (cancel?.onPage) return { at: cancel.at, says: (w) => officeCancelled(record, cancel, now, w) };
      const undone = undoneOf(record, now);
      if (undone?.by !== HERSELF) return undefined;
      return { at: undone.at, asksToPay: true, says: (w) => officeUndone(record, undone.at, w) };
    },
  },

  /** For two weeks, unless she cancels again or the retreat is over: her place is kept, and the balance. */
  'cancel-undone': {
    name: 'You have not cancelled after all',
    newsDays: 14,
    asksToPay: true,
    due(record, now) {
      const undone = undoneOf(record, now);
      return (
        undone && {
          at: undone.at,
          says: (w) => ({
            title: 'Your place is kept',
            blocks: [
              `Your cancellation was undone, and your place in ${w.title} is yours again, as it was. We are glad that you are coming.`,
              comesNext(record, now, w),
              pageButton(record, w, 'Your own page'),
            ],
            questions: `If that wasn’t you, or if anything is unclear, ${waysToAsk(w)}.`,
          }),
        }
      );
    },
  },

  /** Once Stripe has the refund, if any; not where that failed, nor where it was a place paid twice. */
  cancelled: {
    name: 'The result of your cancellation',
    due(record) {
      const { cancelled } = record;
      const { cancel } = record.decisions;
      if (record.deposit !== 'paid' || !cancelled || cancelled.refund === 'failed') return undefined;
      if (cancel?.whole || (cancelled.cents > 0 && !cancelled.refund)) return undefined;
      const { cents: byCardCents, checkCents: byCheckCents } = cancelled;
      return {
        at: cancelled.at,
        says(w) {
          const card = cardsOfRefund(cardOfBalance(record));
          const asked = cancel ? ` on ${w.day(cancel.writtenAt)}` : '';
          return {
            title: 'Your cancellation is complete',
            blocks: [
              `Your place in ${w.title} has ended, as you asked${asked}. ${nothingCharged}`,
              byCardCents + byCheckCents > 0
                ? factTable(refundFacts({ byCardCents, byCheckCents }, card))
                : byPolicy,
              byCardCents > 0 && `What goes to a card is on its way to you. ${banks}`,
              'We would be glad to welcome you another time.',
              pageButton(record, w, 'Your own page', 'payments'),
            ],
          };
        },
      };
    },
  },
} satisfies LetterKinds;

type Cancel = Decision<'cancel'>;

/** Not where the office gives back what she had paid twice. */
function ownCancel({ deposit, decisions: { cancel } }: RegistrationRecord): Cancel | undefined {
  return deposit === 'paid' && !cancel?.whole ? cancel : undefined;
}

function undoEnd(record: RegistrationRecord, now: Date): Date | undefined {
  const until = undoUntil(record);
  if (!until || !canUndoCancel(record, now)) return undefined;
  const endsAt = new Date(record.edition.facts.endsAt);
  return until < endsAt ? until : endsAt;
}

function undoneOf(record: RegistrationRecord, now: Date) {
  const { decisions, deposit, cancelled, edition } = record;
  const undone = decisions.cancel ? undefined : decisions.withdrawn.find(({ kind }) => kind === 'cancel');
  const isOver = now >= new Date(edition.facts.endsAt);
  if (!undone || deposit !== 'paid' || cancelled || isOver || isDepositBack(record)) return undefined;
  return undone;
}

function officeCancelled(record: RegistrationRecord, cancel: Cancel, now: Date, w: Writing): Said {
  const refund = refundAt(record, cancel.writtenAt);
  const { facts, timetable } = w.edition;
  const until = undoEnd(record, now);
  return noticeToOffice(record, w, {
    subject: `Cancelled: ${fullName(record.registrant)}`,
    title: 'Cancelled in writing',
    intro: (name) =>
      `${name} has cancelled her place in ${facts.title} on her own page. This e-mail is the written cancellation. Nothing more is charged, and refunds to a card are made automatically.`,
    facts: [
      { label: 'Written', value: tellMomentToSecond(cancel.writtenAt, timetable), strong: true },
      ...refundFacts(refund, 'the card'),
      { label: 'Disputed', value: record.disputed && 'Nothing is refunded automatically' },
      { label: 'Undo until', value: until && tellMoment(until, timetable) },
    ],
  });
}

function officeUndone(record: RegistrationRecord, at: Date, w: Writing): Said {
  const { facts, timetable } = w.edition;
  return noticeToOffice(record, w, {
    subject: `Not cancelled after all: ${fullName(record.registrant)}`,
    title: 'A cancellation was undone',
    intro: (name) =>
      `${name} has undone the cancellation for ${facts.title} on her own page. The place is kept.`,
    facts: [
      { label: 'Undone', value: tellMomentToSecond(at, timetable) },
      { label: 'Left to pay', value: leftInWords(record, w) },
    ],
  });
}

function whenGivenBack(record: RegistrationRecord, { byCardCents }: Refunded, now: Date, w: Writing): string {
  if (record.disputed)
    return 'You have disputed a charge with your bank. While the dispute is open, nothing is refunded automatically; the retreat office will write to you.';
  const from = workedOffFrom(record);
  if (!from || from <= now || record.cancelled) return 'It will be on its way to you shortly.';
  const who = byCardCents > 0 ? 'We will refund it' : 'The retreat office will send it';
  const once = undoEnd(record, now) ? ', once your cancellation can no longer be undone.' : '.';
  return `${who} from ${w.day(from)} on${once}`;
}

function undoWords(
  record: RegistrationRecord,
  { byCardCents, byCheckCents }: Refunded,
  now: Date,
  w: Writing,
): Passage[] {
  const until = undoEnd(record, now);
  if (!until) return [];
  const words = `You can undo your cancellation until ${w.moment(until)}: on your own page, or through the retreat office by replying to this e-mail or calling ${w.office.phone}. Your place is then yours again, as it was.`;
  const again = describeCancellingAgain(byCardCents + byCheckCents, until, w.edition);
  return [heading('If you change your mind'), again ? `${words} ${again}` : words];
}
