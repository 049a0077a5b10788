import type { MailOf } from '#server/mail/job.ts';
import type { Undone } from '#server/mail/job-facts.ts';
import { HERSELF } from '#server/registration/act-kinds.ts';
import { cardOfBalance, isRestByCheck } from '#server/registration/balance.ts';
import { canUndoCancel, refundAt, undoUntil, workedOffFrom } from '#server/registration/cancelling.ts';
import { isDepositBack } from '#server/registration/deposit.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import { cancelTexts, describeCancellingAgain } from '#shared/content/cancel-words.ts';
import { cardsOfRefund } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment, tellMomentToSecond } from '#shared/content/moments.ts';
import type { Refund } from '#shared/content/tuition.ts';
import { cardFeeCents, formatCents } from '#shared/money.ts';
import { hoursAfter, isNews, leftSumsOf, type SomeLetters, sampleFacts } from './letter-kind.ts';
import { noticeToOffice, paid } from './office-letters.ts';
import { refundFacts, tellSumLine } from './refund-letters.ts';
import { factTable, heading, type Passage } from './render/letter.ts';
import { shortName } from './render/names.ts';
import { dayOf, type MessageContext, momentOf, ownPageButton, waysToAsk } from './render/parts.ts';

const { nothingCharged, banks } = cancelTexts;
const byPolicy = 'By the policies that you agreed to, nothing comes back.';

/**
 * The letters about a cancellation. The office is notified of one that she made on her page for as long as the decision
 * stands.
 */
export const cancelLetters = {
  /** We have her cancellation, what comes back, and until when she can take it back: until it is carried out. */
  'cancel-received': {
    name: 'You have cancelled',
    subject: ({ facts }) => `We have your cancellation: ${facts.title}`,
    factsAt: (record, now) => (stateOf(record, now) === 'cancelling' ? cancellingOf(record, now) : undefined),
    says(letter, edition, context) {
      const { facts } = edition;
      const sum = sumBack(letter);
      const intro = letter.onPage
        ? `You cancelled your place in ${facts.title} on your own page, on ${momentOf(letter.writtenAt, letter, edition)}. That counts as written notice, and the retreat office gets it too.`
        : `The retreat office has received your written cancellation of your place in ${facts.title}, dated ${dayOf(letter.writtenAt, edition)}.`;
      return {
        preheader: sum ? `You get ${sum} back, and nothing more is charged.` : nothingCharged,
        title: 'We have your cancellation',
        blocks: [
          `${intro} ${nothingCharged} We are sorry that we won’t meet you this time.`,
          heading('What comes back to you'),
          !sum && byPolicy,
          factTable(refundFacts(letter)),
          sum && whenGivenBack(letter, edition),
          ...undo(letter, edition, context),
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples(edition) {
      const { cancelling, back, byCheck, nothing, recorded, ofPlan } = sampleCancelling(edition);
      const { undoUntil: _, ...final } = recorded;
      return {
        usual: { ...cancelling, ...back },
        'by-check': { ...cancelling, ...byCheck },
        'with-nothing-back': { ...cancelling, ...nothing },
        'of-a-payment-plan': { ...cancelling, ...ofPlan },
        'by-the-office': { ...recorded, ...back },
        'once-it-cannot-be-taken-back': { ...final, ...back, isDisputed: true, onPage: true },
      };
    },
  },

  /**
   * The written record of a cancellation on her page, with the time to the second: the office is not notified of what it
   * recorded itself.
   */
  'office-cancel': {
    name: 'To the office: she has cancelled',
    subject: (_edition, letter) => `Cancelled: ${shortName(letter)}`,
    factsAt: (record, now) => (record.decisions.cancel?.onPage ? cancellingOf(record, now) : undefined),
    says(letter, { facts: { title }, timetable }, context) {
      const { undoUntil: until, writtenAt } = letter;
      return noticeToOffice(letter, context, {
        preheader: 'In writing, on her own page. Nothing more is charged.',
        title: 'Cancelled in writing',
        intro: (name) =>
          `${name} has cancelled her place in ${title} on her own page. This e-mail is the written cancellation. Nothing more is charged, and refunds to a card are made automatically.`,
        facts: [
          { label: 'Written', value: tellMomentToSecond(new Date(writtenAt), timetable), strong: true },
          ...letter.lines.map(tellSumLine),
          { label: 'Comes back', value: whatComesBack(letter), strong: true },
          { label: 'Undo until', value: until && tellMoment(new Date(until), timetable) },
        ],
      });
    },
    samples(edition) {
      const { cancelling, back, byCheck } = sampleCancelling(edition);
      return { usual: { ...cancelling, ...back }, 'by-check': { ...cancelling, ...byCheck } };
    },
  },

  /** Her place is kept, and the state of the balance: for two weeks, unless she cancels again or the retreat is over. */
  'cancel-undone': {
    name: 'You have not cancelled after all',
    subject: ({ facts }) => `Your place is kept: ${facts.title}`,
    factsAt: undoneOf,
    says: (letter, edition, context) => ({
      preheader: 'Your cancellation no longer applies.',
      title: 'Your place is kept',
      blocks: [
        `Your cancellation was undone, and your place in ${edition.facts.title} is yours again, as it was. We are glad that you are coming.`,
        balanceStands(letter),
        ownPageButton(letter, edition, context),
      ],
      questions: `If that wasn’t you, or if anything is unclear, ${waysToAsk(context)}.`,
    }),
    samples(edition) {
      const undone = sampleUndone(edition);
      return {
        usual: undone,
        'when-paid': { ...undone, standing: 'paid' },
        'with-a-check-to-come': { ...undone, standing: 'by-check' },
      };
    },
  },

  'office-cancel-undone': {
    name: 'To the office: she has undone her cancellation',
    subject: (_edition, letter) => `Not cancelled after all: ${shortName(letter)}`,
    factsAt: (record, now) => (cancelWithdrawn(record)?.by === HERSELF ? undoneOf(record, now) : undefined),
    says: (letter, edition, context) =>
      noticeToOffice(letter, context, {
        preheader: 'The place is kept.',
        title: 'A cancellation was undone',
        intro: (name) =>
          `${name} has undone the cancellation for ${edition.facts.title} on her own page. The place is kept.`,
        facts: [
          { label: 'Undone', value: tellMomentToSecond(new Date(letter.at), edition.timetable) },
          paid,
          { label: 'Balance', value: balanceForOffice(letter) },
        ],
      }),
    samples: (edition) => ({ usual: sampleUndone(edition) }),
  },

  /**
   * Her place has ended, what is on its way to her, and what the retreat keeps: once Stripe has the refund, if there is
   * one. A failed refund has a letter of its own, and so has that of a place that she had paid twice.
   */
  cancelled: {
    name: 'The result of your cancellation',
    subject: ({ facts }) => `Your cancellation is complete: ${facts.title}`,
    factsAt(record) {
      const { cancelled, decisions } = record;
      if (record.deposit !== 'paid' || !cancelled || cancelled.refund === 'failed') return undefined;
      if (decisions.cancel?.whole) return undefined;
      if (cancelled.cents > 0 && !cancelled.refund) return undefined;
      return {
        at: cancelled.at.toISOString(),
        cardCents: cancelled.cents,
        checkCents: cancelled.checkCents,
        lines: linesOfCancelled(record, cancelled),
        ...cardOf(record),
        writtenAt: decisions.cancel?.writtenAt.toISOString(),
      };
    },
    says(letter, edition, context) {
      const { writtenAt, cardCents, checkCents, card } = letter;
      const sum = sumBack(letter);
      const how = cardCents > 0 ? `${sum} is on its way to you.` : `${sum} is coming to you by check.`;
      return {
        preheader: sum ? how : nothingCharged,
        title: 'Your cancellation is complete',
        blocks: [
          `Your place in ${edition.facts.title} has ended, as you asked${writtenAt ? ` on ${dayOf(writtenAt, edition)}` : ''}. ${nothingCharged}`,
          cardCents > 0 && `We have refunded ${formatCents(cardCents)} to ${cardsOfRefund(card)}. ${banks}`,
          checkCents > 0 && `The retreat office will mail you a check for ${formatCents(checkCents)}.`,
          !sum && byPolicy,
          factTable(refundFacts(letter)),
          'We would be glad to welcome you another time.',
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples(edition) {
      const { at, back, byCheck, nothing, deposit, feeCents } = sampleCancelling(edition);
      const ended = { at: hoursAfter(at, 25), writtenAt: at };
      const inRace = {
        ...back,
        cardCents: 60_000 + feeCents,
        lines: [
          deposit,
          { words: 'balance by card', why: 'paid after the cancellation', cents: 70_000 },
          ...(feeCents > 0 ? [{ words: 'its card fee', cents: feeCents }] : []),
          { words: 'given back before', cents: -10_000 },
        ],
      };
      return {
        usual: { ...ended, ...back },
        'by-check': { at: ended.at, ...byCheck },
        'with-nothing-back': { at: ended.at, ...nothing },
        'when-charged-by-a-race': { ...ended, ...inRace },
      };
    },
  },
} satisfies SomeLetters;

/** Her cancellation and its present result; undefined when the office gives back what she had paid twice. */
function cancellingOf(record: RegistrationRecord, now: Date) {
  const { cancel } = record.decisions;
  if (record.deposit !== 'paid' || !cancel || cancel.whole) return undefined;
  const refund = refundAt(record, cancel.writtenAt);
  const from = workedOffFrom(record);
  return {
    at: cancel.at.toISOString(),
    writtenAt: cancel.writtenAt.toISOString(),
    ...sumsBackOf(refund),
    ...(refund.byCardCents > 0 && cardOf(record)),
    onPage: cancel.onPage,
    ...undoOf(record, now),
    workedOffFrom: from && from > now && !record.cancelled ? from.toISOString() : undefined,
    isDisputed: record.disputed,
  };
}

function undoOf(record: RegistrationRecord, now: Date): { undoUntil?: string } {
  const until = undoUntil(record);
  if (!until || !canUndoCancel(record, now)) return {};
  const endsAt = new Date(record.edition.facts.endsAt);
  return { undoUntil: (until < endsAt ? until : endsAt).toISOString() };
}

function sumsBackOf({ byCardCents: cardCents, byCheckCents: checkCents, lines }: Refund) {
  return { cardCents, checkCents, lines: [...lines] };
}

/** The lines of the refund as they added up then; empty where later changes alter them. */
function linesOfCancelled(
  record: RegistrationRecord,
  { cents, checkCents }: NonNullable<RegistrationRecord['cancelled']>,
): MailOf<'cancelled'>['lines'] {
  const { cancel } = record.decisions;
  if (!cancel) return [];
  const then = sumsBackOf(refundAt(record, cancel.writtenAt));
  return then.cardCents === cents && then.checkCents === checkCents ? then.lines : [];
}

function cancelWithdrawn({ decisions }: RegistrationRecord) {
  return decisions.cancel ? undefined : decisions.withdrawn.find(({ kind }) => kind === 'cancel');
}

function undoneOf(record: RegistrationRecord, now: Date): Undone | undefined {
  const withdrawn = cancelWithdrawn(record);
  const isOver = now >= new Date(record.edition.facts.endsAt);
  if (!withdrawn || record.deposit !== 'paid' || record.cancelled || isOver || isDepositBack(record))
    return undefined;
  if (!isNews(withdrawn.at, 14, now)) return undefined;
  const at = withdrawn.at.toISOString();
  const isSettled = stateOf(record, now) === 'settled';
  const standing = isSettled ? 'paid' : isRestByCheck(record) ? 'by-check' : 'owed';
  return { at, ...leftSumsOf(record), standing };
}

function cardOf(record: RegistrationRecord) {
  const card = cardOfBalance(record);
  return card ? { card } : {};
}

/** The state of the balance after a cancellation was undone. */
function balanceStands(letter: Undone): string {
  const { standing, cents, beforeFeeCents } = letter;
  if (standing === 'paid') return 'Everything is paid, and nothing is left to pay.';
  if (standing === 'by-check')
    return `The balance of ${formatCents(beforeFeeCents)} will come by check, as arranged.`;
  return `The balance of ${formatCents(cents)} is left to pay. We never charge your card without an e-mail that first tells you when and how much.`;
}

function balanceForOffice(letter: Undone): string {
  const { standing, cents, beforeFeeCents } = letter;
  if (standing === 'paid') return 'Paid';
  return standing === 'by-check'
    ? `${formatCents(beforeFeeCents)}, to come by check`
    : `${formatCents(cents)}, not yet paid`;
}

type Back = Pick<MailOf<'cancel-received'>, 'cardCents' | 'checkCents'>;

/** The total refund; undefined when there is none. */
function sumBack({ cardCents, checkCents }: Back): string | undefined {
  const cents = cardCents + checkCents;
  return cents > 0 ? formatCents(cents) : undefined;
}

function whatComesBack({ cardCents, checkCents, isDisputed }: MailOf<'office-cancel'>): string {
  if (cardCents + checkCents === 0) return formatCents(0);
  const ways = [
    cardCents > 0 && `${formatCents(cardCents)} to the card`,
    checkCents > 0 && `${formatCents(checkCents)} by check, from you`,
  ];
  const sum = ways.filter(Boolean).join(', ');
  return isDisputed ? `${sum}. A charge is disputed: nothing is refunded automatically.` : sum;
}

function whenGivenBack(
  { isDisputed, workedOffFrom: from, cardCents, undoUntil: until }: MailOf<'cancel-received'>,
  edition: Edition,
): string {
  if (isDisputed)
    return 'You have disputed a charge with your bank. While the dispute is open, nothing is refunded automatically; the retreat office will write to you.';
  if (!from) return 'It will be on its way to you shortly.';
  const day = dayOf(from, edition);
  const way =
    cardCents > 0 ? `We will refund it from ${day} on` : `The retreat office will send it from ${day} on`;
  return `${way}${until ? ', once your cancellation can no longer be undone.' : '.'}`;
}

function undo(
  { undoUntil: at, timeZone, cardCents, checkCents }: MailOf<'cancel-received'>,
  edition: Edition,
  { office: { phone } }: MessageContext,
): Passage[] {
  if (!at) return [];
  const until = new Date(at);
  const told = tellMoment(until, edition.timetable, timeZone);
  const words = `You can undo your cancellation until ${told}: on your own page, or through the retreat office by replying to this e-mail or calling ${phone}. Your place is then yours again, as it was.`;
  const again = describeCancellingAgain(cardCents + checkCents, until, edition);
  return [heading('If you change your mind'), again ? `${words} ${again}` : words];
}

function sampleCancelling(edition: Edition) {
  const { card } = sampleFacts(edition);
  const { prices, balance } = edition.facts;
  /** She cancels two minutes before the balance stops being refundable. */
  const at = new Date(Date.parse(balance.refundsEndAt) - 121_500).toISOString();
  const deposit = { words: 'deposit', keptCents: prices.depositCents, why: 'not refunded', cents: 0 };
  const feeOf = (cents: number) => cardFeeCents(cents, prices.cardFeePerMille);
  const feeKept = (keptCents: number) =>
    keptCents > 0 ? [{ words: 'its card fee', keptCents, why: 'not refunded', cents: 0 }] : [];
  const partBack = [
    { words: 'balance by card', why: 'cancelled in time', cents: 25_000 },
    ...feeKept(feeOf(25_000)),
  ];
  const recorded = { at, writtenAt: at, isDisputed: false, undoUntil: hoursAfter(at, 24) };
  return {
    at,
    deposit,
    recorded,
    feeCents: feeOf(70_000),
    cancelling: { ...recorded, onPage: true, workedOffFrom: hoursAfter(at, 25) } as const,
    back: {
      cardCents: 70_000,
      checkCents: 0,
      card,
      lines: [
        deposit,
        { words: 'balance by card', why: 'cancelled in time', cents: 70_000 },
        ...feeKept(feeOf(70_000)),
      ],
    },
    /** Of two parts. */
    ofPlan: { cardCents: 50_000, checkCents: 0, card, lines: [deposit, ...partBack, ...partBack] },
    byCheck: {
      cardCents: 0,
      checkCents: 70_000,
      lines: [deposit, { words: 'balance by check', why: 'cancelled in time', cents: 70_000 }],
    },
    nothing: { cardCents: 0, checkCents: 0, lines: [deposit] },
  };
}

function sampleUndone(edition: Edition) {
  const { sums, paidAt } = sampleFacts(edition);
  return { ...sums, at: hoursAfter(paidAt, -271), standing: 'owed' } as const;
}
