import type { DatedMail } from '#scripts/drills/stage/stage.ts';
import { sampleOffice } from '#scripts/product/environment.ts';
import { DAY_MS, type EditionLived, type RetreatLived, type Span } from '#scripts/world/editions.ts';
import { addressesOf, addressOf } from '#scripts/world/people.ts';
import { wayInWords } from '#server/letters/retreat-letters.ts';
import {
  addressesAt,
  agreedToPlanAt,
  checksOf,
  duesOf,
  givenBack,
  isCancelled,
  NEVER,
  type Plan,
  plansIn,
  refundsOfCancel,
  type Story,
  settledIn,
  spansOf,
  sumOf,
  wasDead,
} from './story.ts';

/** The least time between a notice and the charge that it announces. */
export const NOTICE_MS = 3 * DAY_MS;
/** For this long she may take her cancellation back. */
export const UNDO_MS = DAY_MS;
/** Letters that are due when the clock reaches a moment are sent within this time. */
export const SENT_WITHIN_MS = 10 * 60 * 1000;

/** What a letter says that was at no moment true while it was in flight; undefined where all was true. */
type Untruth = (story: Story, mail: DatedMail) => string | undefined;

interface Promised {
  /** Its name in the table of lives. */
  as: string;
  to?: 'office' | 'old address' | 'new address' | 'sister';
  /** How often it is owed, whatever the life; without it, the life lists it, or `each` says it. */
  owed?: (story: Story, steps: readonly number[]) => number;
  /** It may be overtaken by the payment, and then come or not. */
  overtaken?: true;
  /**
   * A letter about the retreat is owed once for each of several things, to everybody for whom it is true while the clock
   * stands still; it is for those who have paid the deposit and come.
   */
  each?: { of: (mail: DatedMail, story: Story) => string; dueAt: (story: Story, step: number) => string[] };
  /** When it is true; always, if nothing is said. */
  when?: (story: Story, mail: DatedMail) => Span;
  /** What else it says that is not true. */
  untrue?: Untruth;
}

const [EVER, FOREVER] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const paidFrom = ({ paidAt = FOREVER }: Story): Span => ({ from: paidAt, until: FOREVER });
const untilPaid = ({ paidAt = FOREVER }: Story): Span => ({ from: EVER, until: paidAt });
const heldUntilPaid = (story: Story): Span => (story.person.phone.length > 0 ? untilPaid(story) : NEVER);
type Turn = keyof ReturnType<typeof spansOf>;
/** From one turn of her life on, or ever, until another one is certain. */
const between =
  (from?: Turn, until?: Turn) =>
  (story: Story): Span => ({
    from: from ? spansOf(story)[from].from : EVER,
    until: until ? spansOf(story)[until].until : FOREVER,
  });

const unless = (isTrue: boolean, says: string): string | undefined => (isTrue ? undefined : says);
const tellsSum = (sumsOf: (story: Story) => readonly { cents: number }[]): Untruth => {
  return (story, { text }) => unless(tellsOneOf(text, sumsOf(story)), 'it tells another sum');
};
const hasPaid = ({ paidAt }: Story): number => Number(paidAt !== undefined);
const isCorrected = ({ person }: Story): number => Number(addressesOf(person).length > 1);
const isBegun = (story: Story): number => Number(hasPaid(story) === 0 && story.person.phone.length === 0);

/** Something is due, and she has not decided otherwise. */
const owing: Untruth = (story, { at, underWaySince }) => {
  if (at < paidFrom(story).from) return 'the deposit is not paid';
  if (underWaySince > settledIn(story).until) return 'it is paid';
  if (isCancelled(story, underWaySince, at)) return 'she cancelled';
  return underWaySince > spansOf(story).disputed.until ? 'she disputes it' : undefined;
};

/** Her card will be charged: day and sum are right, and she has not decided otherwise. */
const chargeAhead =
  (before?: 'notice' | 'reminder', isNotice = before === 'notice'): Untruth =>
  (story, mail) => {
    const { at, underWaySince, text } = mail;
    const { edition } = story.person;
    const ahead = before && edition.moments.charge - edition.moments[before];
    const wrong = owing(story, mail);
    if (wrong) return wrong;
    const due = duesOf(story, underWaySince, at).filter((one) => text.includes(dayOf(one.at, edition)));
    if (due.length === 0) return 'another day is due';
    if (ahead !== undefined && !due.some((one) => at >= one.at - ahead)) return 'it comes before its time';
    if (!due.some((one) => underWaySince < one.at)) return 'it is past';
    if (underWaySince > spansOf(story).checkPromised.until) return 'she pays by check';
    if (!tellsOneOf(text, due)) return 'it tells another sum';
    if (plansIn(story, underWaySince, at).every((plan) => plan && mayNotCharge(story, plan, at)))
      return 'nothing may be charged by her plan';
    const isTooLate = isNotice && !due.some((one) => underWaySince <= one.at - NOTICE_MS);
    return isTooLate ? 'it comes too late for the charge' : undefined;
  };

/** She has not agreed to her plan, or it is paused. */
export const mayNotCharge = (story: Story, plan: Plan, at: number): boolean =>
  plan.parts.length > 0 && (plan.isPaused || at < agreedToPlanAt(story, plan));

/** She has cancelled, and what comes back is told; until it is worked off, or she comes after all. */
const cancelling: Untruth = (story, { underWaySince, text }) => {
  const { refunds, mails, paid, person } = story;
  const told = toldBack(text);
  if (told === undefined) return 'it does not say what comes back';
  const worked = mails.find(({ messageId }) => kindOf(messageId) === 'cancelled');
  if (!worked) return undefined;
  if (underWaySince > worked.at) return 'it is worked off';
  // A payment after she cancelled was not known when the letter was written.
  if (told === 0 && paid.some((one) => one.at > underWaySince)) return undefined;
  const cents = sumOf(refundsOfCancel(story, refunds)) + person.checkBack;
  return unless(told === cents, `it tells ${told} cents instead of ${cents}`);
};

const isIn = (step: number, { from, until }: Span): boolean => from <= step && step + SENT_WITHIN_MS < until;

/** All kinds of letters about a registration, by the beginning of their Message-ID. */
const PROMISES: Readonly<Record<string, Promised>> = {
  'registration-received': { as: 'begun', owed: isBegun, overtaken: true, when: untilPaid },
  'office-notice': { as: 'office-begun', to: 'office', owed: isBegun, overtaken: true, when: untilPaid },
  unfinished: {
    as: 'unfinished',
    owed({ begun, paidAt, person }, steps) {
      const due = { from: (begun?.until ?? FOREVER) + DAY_MS, until: person.edition.moments.closes };
      const isOwed = paidAt === undefined && person.phone.length === 0;
      return Number(isOwed && steps.some((step) => isIn(step, due)));
    },
    overtaken: true,
    when: ({ begun, paidAt = FOREVER, person }) => ({
      from: (begun?.from ?? EVER) + DAY_MS,
      until: Math.min(paidAt, person.edition.moments.closes),
    }),
  },
  welcome: {
    as: 'welcome',
    owed(story) {
      const isTaken = story.person.deeds.some(({ does }) => does === 'take-place');
      return hasPaid(story) * (1 + (isTaken ? 0 : isCorrected(story)));
    },
    when: paidFrom,
    untrue: tellsSum(({ person }) => [{ cents: person.depositCents }]),
  },
  'office-paid': { as: 'office-paid', to: 'office', owed: hasPaid, when: paidFrom },
  'second-payment': { as: 'second-payment', when: () => NEVER },
  'office-change': { as: 'office-change', to: 'office', owed: isCorrected },
  'balance-notice': { as: 'notice', untrue: chargeAhead('notice') },
  'balance-postponed': { as: 'postponed', untrue: chargeAhead(undefined, true) },
  'balance-reminder': { as: 'reminder', untrue: chargeAhead('reminder') },
  'card-expires': {
    as: 'expires',
    when: (story) => (story.person.cardEnds ? between(undefined, 'newCard')(story) : NEVER),
    untrue: chargeAhead(),
  },
  'please-pay': {
    as: 'please-pay',
    untrue(story, mail) {
      const { at, underWaySince } = mail;
      const due = duesOf(story, underWaySince, at).filter((one) => tellsOneOf(mail.text, [one]));
      const isCharged = due.every(({ cents }) =>
        story.paid.some((one) => one.withoutHer && one.cents === cents),
      );
      const plans = plansIn(story, underWaySince, at);
      const isToAgree = plans.some((plan) => plan && mayNotCharge(story, plan, underWaySince));
      return owing(story, mail) ?? unless(!isCharged || isToAgree, 'she is charged all the same');
    },
  },
  'balance-failed': {
    as: 'failed',
    when: ({ refusedAt }) => ({ from: Math.min(FOREVER, ...refusedAt), until: FOREVER }),
    untrue: (story, mail) =>
      owing(story, mail) ?? tellsSum(() => duesOf(story, mail.underWaySince, mail.at))(story, mail),
  },
  'balance-paid': {
    as: 'paid',
    when(story, { underWaySince }) {
      const isUntilItBounces =
        underWaySince <= spansOf(story).takenBack.until && checksOf(story).some(({ bounced }) => bounced);
      return { from: isUntilItBounces ? EVER : settledIn(story).from, until: FOREVER };
    },
    untrue(story, { text }) {
      const checks = checksOf(story).filter(({ bounced, isDeposit }) => !bounced && !isDeposit);
      const sums = [...story.paid, ...checks, { cents: story.person.depositCents }];
      const isTold = [...sums, { cents: sumOf(sums) }].every((one) => tellsOneOf(text, [one]));
      return unless(isTold, 'it tells another sum');
    },
  },
  'payment-plan': {
    as: 'plan',
    untrue(story, { at, underWaySince, text }) {
      if (isCancelled(story, underWaySince, at)) return 'she cancelled';
      const isTrue = plansIn(story, underWaySince, at).some((plan) => {
        if (plan?.parts.length === 0) return tellsOneOf(text, story.person.payments.slice(-1));
        return plan?.parts.every((part) => tellsOneOf(text, [part]));
      });
      return unless(isTrue, 'it is another plan');
    },
  },
  'part-paid': {
    as: 'part-paid',
    untrue({ paid, mails }, { messageId, at, text }) {
      const [payment, ...others] = paid.filter((one) => text.includes(one.id));
      if (!payment || others.length > 0 || at < payment.at) return 'that payment was not made';
      if (!tellsOneOf(text, [payment])) return 'it tells another sum';
      const before = mails.filter((one) => kindOf(one.messageId) === 'part-paid' && one.at < at);
      const isKnown = before.some((one) => one.messageId !== messageId && one.text.includes(payment.id));
      return unless(!isKnown, 'that payment has its receipt');
    },
  },
  'payment-received': { as: 'check-came', untrue: tellsSum(checksOf) },
  'payment-returned': {
    as: 'check-bounced',
    untrue: tellsSum((story) => checksOf(story).filter((check) => check.bounced)),
  },
  'place-held': { as: 'held', when: heldUntilPaid },
  'place-held-reminder': { as: 'held-reminder', when: heldUntilPaid },
  'place-lapsed': { as: 'lapsed', when: heldUntilPaid },
  'hand-over-asked': { as: 'asked', when: between(undefined, 'given') },
  'hand-over-offered': { as: 'offered', to: 'sister', when: between('given', 'taken') },
  'handed-over': { as: 'handed-over', to: 'new address', when: between('taken') },
  'handed-away': { as: 'handed-away', to: 'old address', when: between('taken') },
  'cancel-received': { as: 'received', when: between('cancelled', 'undone'), untrue: cancelling },
  'office-cancel': {
    as: 'office-cancel',
    to: 'office',
    when: between('cancelled', 'undone'),
    untrue: (story, mail) =>
      addressesOf(story.person).includes(mail.replyTo)
        ? cancelling(story, mail)
        : 'its answer goes to somebody else',
  },
  'cancel-undone': { as: 'undone', when: between('undone') },
  'office-cancel-undone': { as: 'office-undone', to: 'office', when: between('undone') },
  cancelled: {
    as: 'cancelled',
    when: (story) => ({ from: spansOf(story).cancelled.from + UNDO_MS, until: FOREVER }),
    untrue(story, { at, text }) {
      const made = refundsOfCancel(story, story.refunds).filter((refund) => refund.at <= at);
      const [told, cents] = [toldBack(text), sumOf(made) + story.person.checkBack];
      return unless(told === cents, `it tells ${told} cents instead of ${cents}`);
    },
  },
  'refund-failed': {
    as: 'refund-failed',
    untrue: tellsSum(({ refunds }) => refunds.filter(({ status }) => status === 'failed')),
  },
  'tuition-reduced': {
    as: 'reduced',
    when: (story) => between(story.person.phone.includes('--scholarship') ? undefined : 'waived')(story),
  },
  'refund-made': {
    as: 'refund-made',
    untrue: tellsSum((story) => [...givenBack(story, 'refund'), ...givenBack(story, 'refund-by-check')]),
  },
  'confirm-address': { as: 'confirm', to: 'new address' },
  'address-changed': { as: 'changed', to: 'old address' },
  'test-session': {
    as: 'test-session',
    each: {
      of: () => '',
      dueAt: ({ person }, step) => (isIn(step, person.edition.retreat.testSession) ? [''] : []),
    },
    when: ({ person }) => person.edition.retreat.testSession,
    // A stage has a video room from its start on, so its letters are owed at their own moments.
    untrue: (_story, { text }) =>
      text.includes(wayInWords.roomless(sampleOffice.OFFICE_PHONE)) ? 'there is a room' : undefined,
  },
  'way-in': {
    as: 'way-in',
    each: {
      of: ({ subject }, { person }) => wayInOf(subject, person.edition.retreat)?.day ?? subject,
      dueAt(story, step) {
        const isTold = settledIn(story).until <= step || step < spansOf(story).disputed.from;
        const days = story.person.edition.retreat.wayIn.filter((one) => isTold && isIn(step, one));
        return days.map(({ day }) => day);
      },
    },
    when: ({ person }, { subject }) => wayInOf(subject, person.edition.retreat) ?? NEVER,
    untrue(story, { at, underWaySince, text }) {
      const [isOpen, isOwing] = [text.includes(wayInWords.open), text.includes(wayInWords.owing)];
      if (isOpen === isOwing) return 'it does not say whether the room is open to her';
      if (isOpen) return at < settledIn(story).from ? 'it says open, and she owes the balance' : undefined;
      if (underWaySince > spansOf(story).disputed.until)
        return 'it asks for the balance, and she disputes it';
      return underWaySince > settledIn(story).until ? 'it asks for the balance, and it is paid' : undefined;
    },
  },
  'schedule-changed': {
    as: 'schedule-changed',
    each: {
      of: () => '',
      dueAt({ announced, person, paidAt = Number.NaN, ...story }, step) {
        if (!announced || paidAt >= announced.from) return [];
        const due = { from: announced.until, until: person.edition.moments.ends };
        const { taken } = spansOf(story);
        // Who takes a place reads the schedule as it is then.
        const hadPlace = step < taken.from || taken.until <= announced.from;
        return isIn(step, due) && hadPlace ? [''] : [];
      },
    },
    when: ({ announced, person }) => ({
      from: announced?.from ?? FOREVER,
      until: person.edition.moments.ends,
    }),
  },
};

const byName = new Map(Object.values(PROMISES).map((promised) => [promised.as, promised]));
export const promised = (kind: string): Promised | undefined => byName.get(kind);
export const allPromises: readonly Promised[] = [...byName.values()];

/** The name of a letter's kind in the table of lives, from its Message-ID. */
export function kindOf(messageId: string): string {
  const [, kind = messageId] = /^<([a-z-]+)-pi_/.exec(messageId) ?? [];
  return PROMISES[kind]?.as ?? kind;
}

/** What a letter says that was not true, or to whom it should not have gone. */
export function untruthOf(mail: DatedMail, story: Story): string | undefined {
  const { at, underWaySince, recipients, subject } = mail;
  const { person } = story;
  const promise = promised(kindOf(mail.messageId));
  if (!promise) return undefined;
  const isToOffice = promise.to === 'office';
  const addresses = {
    office: [sampleOffice.OFFICE_EMAIL],
    'old address': [addressOf(person, false)],
    'new address': [addressOf(person, true)],
    sister: [`sister-${person.email}`],
    her: addressesAt(story, underWaySince, at),
  }[promise.to ?? 'her'];
  if (!recipients.every((one) => addresses.includes(one))) return 'it went to somebody else';
  if (!isToOffice && !subject.includes(person.edition.title)) return 'it is about another edition';
  if (!isToOffice && recipients.some((one) => wasDead(story, one, underWaySince, at)))
    return 'her address takes no letters';
  if (promise.each && at < paidFrom(story).from) return 'the deposit is not paid';
  if (promise.each && isCancelled(story, underWaySince, at)) return 'she cancelled';
  const { from, until } = promise.when?.(story, mail) ?? { from: EVER, until: FOREVER };
  if (at < from) return 'it comes before its time';
  return underWaySince >= until ? 'it is past' : promise.untrue?.(story, mail);
}

/** The day whose way in a letter gives, according to its subject. */
function wayInOf(subject: string, { wayIn }: RetreatLived): RetreatLived['wayIn'][number] | undefined {
  return wayIn.find(({ day }) => subject.includes(day));
}

function toldBack(text: string): number | undefined {
  const [, sum] = /Comes back(?: to you)?:?\s+(Nothing|\$[\d,]+(?:\.\d\d)?)/.exec(text) ?? [];
  if (sum === undefined) return undefined;
  return sum === 'Nothing' ? 0 : Math.round(Number(sum.replaceAll(/[$,]/g, '')) * 100);
}

export const tellsOneOf = (text: string, sums: readonly { cents: number }[]): boolean =>
  sums.some(({ cents }) => text.includes(inDollars(cents)));

function inDollars(cents: number): string {
  return (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' }).replace('.00', '');
}

/** A day as letters write it, on the retreat's calendar. */
export function dayOf(at: number, { timeZone }: Pick<EditionLived, 'timeZone'>): string {
  return new Date(at).toLocaleDateString('en-US', { dateStyle: 'long', timeZone });
}
