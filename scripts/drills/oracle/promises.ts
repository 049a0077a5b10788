import type { Announced, DatedMail } from '#scripts/drills/stage/notes.ts';
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
  type Plan,
  plansIn,
  type Story,
  settledIn,
  spansOf,
  wasAlive,
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
  as: string;
  to?: 'office' | 'old address' | 'new address' | 'sister';
  /** How often it is owed, whatever the life; without it, the life lists it, or `each` says it. */
  owed?: (story: Story, steps: readonly number[]) => number;
  overtaken?: true;
  /**
   * A letter about the retreat is owed once for each of several things, to everybody for whom it is true while the clock
   * stands still.
   */
  each?: { of: (mail: DatedMail, story: Story) => string; dueAt: (story: Story, step: number) => string[] };
  untrue: Untruth;
}

const hasPaid = ({ paidAt }: Story): number => Number(paidAt !== undefined);
const isCorrected = ({ person }: Story): number => Number(addressesOf(person).length > 1);
const isBegun = (story: Story): number => Number(hasPaid(story) === 0 && story.person.phone.length === 0);
const isTaken = ({ person }: Story): boolean => person.deeds.some(({ does }) => does === 'take-place');
const unpaid: Untruth = ({ paidAt = Number.POSITIVE_INFINITY }, { underWaySince }) =>
  underWaySince > paidAt ? 'the deposit is paid' : undefined;
const depositPaid: Untruth = ({ paidAt = Number.POSITIVE_INFINITY }, { at }) =>
  at < paidAt ? 'the deposit is not paid' : undefined;
const anything: Untruth = () => undefined;
const unless = (isTrue: boolean, says: string): string | undefined => (isTrue ? undefined : says);

/** The office says at once where the video room is, so its letters are owed at their own moments. */
const saysThatNoRoomIsThere = ({ text }: DatedMail): boolean =>
  text.includes(wayInWords.roomless(sampleOffice.OFFICE_PHONE));

const owing: Untruth = (story, mail) => {
  const { at, underWaySince: since } = mail;
  if (since > settledIn(story).until) return 'it is paid';
  if (isCancelled(story, since, at)) return 'she cancelled';
  if (since > spansOf(story).disputed.until) return 'she disputes it';
  return depositPaid(story, mail);
};

/** Her card will be charged: day and sum are right, and she has not decided otherwise. */
const chargeAhead =
  (before?: 'notice' | 'reminder', isNotice = before === 'notice'): Untruth =>
  (story, mail) => {
    const { at, underWaySince: since, text } = mail;
    const { edition } = story.person;
    const ahead = before && edition.moments.charge - edition.moments[before];
    const wrong = owing(story, mail);
    if (wrong) return wrong;
    const due = duesOf(story, since, at).filter((one) => text.includes(dayOf(one.at, edition)));
    if (due.length === 0) return 'another day is due';
    if (ahead !== undefined && !due.some((one) => at >= one.at - ahead)) return 'it comes before its time';
    if (!due.some((one) => since < one.at)) return 'the day is past';
    if (since > spansOf(story).checkPromised.until) return 'she pays by check';
    if (!tellsOneOf(text, due)) return 'another sum is due';
    if (plansIn(story, since, at).every((plan) => plan && mayNotCharge(story, plan, at)))
      return 'nothing may be charged by her plan';
    const isTooLate = isNotice && !due.some((one) => since <= one.at - NOTICE_MS);
    return isTooLate ? 'it comes too late for the charge' : undefined;
  };

/** She has not agreed to her plan, or it is paused. */
export const mayNotCharge = (story: Story, plan: Plan, at: number): boolean =>
  plan.parts.length > 0 && (plan.isPaused || at < agreedToPlanAt(story, plan));

const cancelling: Untruth = (story, { at, underWaySince: since, text }) => {
  const { refunds, mails, paid, person } = story;
  const told = toldBack(text);
  if (at < spansOf(story).cancelled.from) return 'she has not cancelled';
  if (since > spansOf(story).undone.until) return 'she has taken it back';
  if (told === undefined) return 'it does not say what comes back';
  const worked = mails.find(({ messageId }) => kindOf(messageId) === 'cancelled');
  if (!worked) return undefined;
  if (since > worked.at) return 'it is worked off';
  // A payment after she cancelled was not known when the letter was written.
  if (told === 0 && paid.some((one) => one.at > since)) return undefined;
  const cents = sumOf(refundsOfCancel(story, refunds)) + person.checkBack;
  return unless(told === cents, `it tells ${told} cents instead of ${cents}`);
};

const retreatComing =
  (untrue: Untruth): Untruth =>
  (story, mail) => {
    const cancelled = isCancelled(story, mail.underWaySince, mail.at) ? 'she cancelled' : undefined;
    return depositPaid(story, mail) ?? cancelled ?? untrue(story, mail);
  };
const within = ({ from, until }: Span, { at, underWaySince: since }: DatedMail): string | undefined => {
  if (at < from) return 'it comes before its time';
  return since >= until ? 'it is past' : undefined;
};
const isIn = (step: number, { from, until }: Span): boolean => from <= step && step + SENT_WITHIN_MS < until;

const announced = (what: Announced['what']): NonNullable<Promised['each']> => ({
  of: ({ at }, story) => String(story.announced.filter((one) => one.what === what && one.from <= at).length),
  dueAt(story, step) {
    const { edition } = story.person;
    const said = story.announced.filter((one) => one.what === what && one.from <= step + SENT_WITHIN_MS);
    const last = said.at(-1);
    if (!last || step < last.until) return [];
    const isPaid = (story.paidAt ?? Number.NaN) < last.from && step + SENT_WITHIN_MS < edition.moments.ends;
    const { taken } = spansOf(story);
    // Who takes a place reads the schedule as it is then.
    const hadPlace = step < taken.from || taken.until <= last.from;
    // It is not sent again to another address.
    const [address = '', ...others] = addressesAt(story, last.from, step);
    const isDue = {
      recordings:
        settledIn(story).until <= step && step >= (edition.retreat.recordings ?? Number.POSITIVE_INFINITY),
      'schedule-changed': isPaid && hadPlace,
      message: isPaid && others.length === 0 && wasAlive(story, address, last.from, step),
    }[what];
    return isDue ? [String(said.length)] : [];
  },
});
const isAnnounced = ({ announced: all }: Story, what: string, at: number): boolean =>
  all.some((one) => one.what === what && one.from <= at);

/** All kinds of letters about a registration, by the beginning of their Message-ID. */
const PROMISES: Readonly<Record<string, Promised>> = {
  'registration-received': {
    as: 'begun',
    owed: isBegun,
    overtaken: true,
    untrue: unpaid,
  },
  'office-notice': {
    as: 'office-begun',
    to: 'office',
    owed: isBegun,
    overtaken: true,
    untrue: unpaid,
  },
  unfinished: {
    as: 'unfinished',
    owed({ begun, paidAt, person }, steps) {
      const { closes } = person.edition.moments;
      const isDueAt = (step: number): boolean =>
        begun !== undefined && step >= begun.until + DAY_MS && step + SENT_WITHIN_MS < closes;
      return Number(paidAt === undefined && person.phone.length === 0 && steps.some(isDueAt));
    },
    overtaken: true,
    untrue(story, mail) {
      const { begun, person } = story;
      if (begun && mail.at < begun.from + DAY_MS) return 'it comes before its time';
      return mail.underWaySince >= person.edition.moments.closes ? 'it is past' : unpaid(story, mail);
    },
  },
  welcome: {
    as: 'welcome',
    owed: (story) => hasPaid(story) * (1 + (isTaken(story) ? 0 : isCorrected(story))),
    untrue: (story, mail) =>
      depositPaid(story, mail) ??
      unless(mail.text.includes(inDollars(story.person.depositCents)), 'another sum was paid'),
  },
  'office-paid': { as: 'office-paid', to: 'office', owed: hasPaid, untrue: depositPaid },
  'balance-notice': { as: 'notice', untrue: chargeAhead('notice') },
  'balance-postponed': { as: 'postponed', untrue: chargeAhead(undefined, true) },
  'balance-reminder': { as: 'reminder', untrue: chargeAhead('reminder') },
  'card-expires': {
    as: 'expires',
    untrue(story, mail) {
      if (!story.person.cardEnds) return 'her card is valid';
      if (mail.underWaySince > spansOf(story).newCard.until) return 'she gave another card';
      return chargeAhead()(story, mail);
    },
  },
  'card-on-file': {
    as: 'card',
    untrue: (story, mail) =>
      mail.at < spansOf(story).newCard.from ? 'she gave no other card' : owing(story, mail),
  },
  'please-pay': {
    as: 'please-pay',
    untrue(story, mail) {
      const due = duesOf(story, mail.underWaySince, mail.at).filter((one) => tellsOneOf(mail.text, [one]));
      const isCharged = due.every(({ cents }) =>
        story.paid.some((one) => one.withoutHer && one.cents === cents),
      );
      const plans = plansIn(story, mail.underWaySince, mail.at);
      const isToAgree = plans.some((plan) => plan && mayNotCharge(story, plan, mail.underWaySince));
      return owing(story, mail) ?? (isCharged && !isToAgree ? 'she is charged all the same' : undefined);
    },
  },
  'balance-failed': {
    as: 'failed',
    untrue(story, mail) {
      if (!story.refusedAt.some((refused) => refused <= mail.at)) return 'no card was refused';
      const isRight = tellsOneOf(mail.text, duesOf(story, mail.underWaySince, mail.at));
      return owing(story, mail) ?? unless(isRight, 'another sum is due');
    },
  },
  'balance-paid': {
    as: 'paid',
    untrue(story, { at, underWaySince: since, text }) {
      const { paid, person } = story;
      const isUntilItBounces =
        since <= spansOf(story).takenBack.until && checksOf(story).some(({ bounced }) => bounced);
      if (at < settledIn(story).from && !isUntilItBounces) return 'it is not paid';
      const checks = checksOf(story).filter(({ bounced }) => !bounced);
      const sums = [...paid, ...checks.filter(({ isDeposit }) => !isDeposit)]
        .map(({ cents }) => cents)
        .concat(person.depositCents);
      sums.push(sums.reduce((sum, cents) => sum + cents, 0));
      return sums.every((one) => text.includes(inDollars(one))) ? undefined : 'other sums were paid';
    },
  },
  'payment-plan': {
    as: 'plan',
    untrue(story, { at, underWaySince: since, text }) {
      const tells = (cents: number): boolean => text.includes(inDollars(cents));
      if (isCancelled(story, since, at)) return 'she cancelled';
      const isTrue = plansIn(story, since, at).some((plan) =>
        plan && plan.parts.length > 0
          ? plan.parts.every(({ cents }) => tells(cents))
          : plan && tellsOneOf(text, story.person.payments.slice(-1)),
      );
      return unless(isTrue, 'it is another plan');
    },
  },
  'part-paid': {
    as: 'part-paid',
    untrue({ paid, mails }, { messageId, at, text }) {
      const told = paid.filter((one) => text.includes(one.id));
      const [payment] = told;
      if (!payment || told.length > 1 || at < payment.at) return 'that payment was not made';
      if (!tellsOneOf(text, [payment])) return 'another sum was paid';
      const before = mails.filter((one) => kindOf(one.messageId) === 'part-paid' && one.at < at);
      const isKnown = before.some((one) => one.messageId !== messageId && one.text.includes(payment.id));
      return isKnown ? 'that payment has its receipt' : undefined;
    },
  },
  'payment-received': {
    as: 'check-came',
    untrue: (story, { text }) => unless(tellsOneOf(text, checksOf(story)), 'another sum came'),
  },
  'payment-returned': {
    as: 'check-bounced',
    untrue(story, { text }) {
      const bounced = checksOf(story).filter((check) => check.bounced);
      return unless(tellsOneOf(text, bounced), 'no such check bounced');
    },
  },
  'place-held': { as: 'held', untrue: heldUnpaid },
  'place-held-reminder': { as: 'held-reminder', untrue: heldUnpaid },
  'place-lapsed': { as: 'lapsed', untrue: heldUnpaid },
  'hand-over-asked': {
    as: 'asked',
    untrue: (story, { underWaySince: since }) =>
      since > spansOf(story).given.until ? 'she has agreed already' : undefined,
  },
  'hand-over-offered': {
    as: 'offered',
    to: 'sister',
    untrue: (story, { at, underWaySince: since }) =>
      at < spansOf(story).given.from || since > spansOf(story).taken.until
        ? 'nothing is offered to her'
        : undefined,
  },
  'handed-over': { as: 'handed-over', to: 'new address', untrue: wasTaken },
  'handed-away': { as: 'handed-away', to: 'old address', untrue: wasTaken },
  'payer-refunded': { as: 'payer-refunded', to: 'old address', untrue: wasTaken },
  'cancel-received': { as: 'received', untrue: cancelling },
  'office-cancel': {
    as: 'office-cancel',
    to: 'office',
    untrue(story, mail) {
      const answers = addressesOf(story.person).includes(mail.replyTo);
      return answers ? cancelling(story, mail) : 'its answer goes to somebody else';
    },
  },
  'cancel-undone': { as: 'undone', untrue: wasUndone },
  'office-cancel-undone': { as: 'office-undone', to: 'office', untrue: wasUndone },
  cancelled: {
    as: 'cancelled',
    untrue(story, { at, text }) {
      if (at < spansOf(story).cancelled.from + UNDO_MS) return 'she can still take it back';
      const made = refundsOfCancel(story, story.refunds).filter((refund) => refund.at <= at);
      const [told, cents] = [toldBack(text), sumOf(made) + story.person.checkBack];
      return unless(told === cents, `it tells ${told} cents instead of ${cents}`);
    },
  },
  'refund-failed': {
    as: 'refund-failed',
    untrue({ refunds }, { text }) {
      const failed = refunds.find(({ status }) => status === 'failed');
      if (!failed) return 'no refund failed';
      return unless(tellsOneOf(text, [failed]), 'another sum failed');
    },
  },
  'tuition-reduced': {
    as: 'reduced',
    untrue(story, { at }) {
      const isFromTheStart = story.person.phone.some((field) => field.startsWith('scholarship='));
      return isFromTheStart || at >= spansOf(story).waived.from ? undefined : 'nothing was taken off yet';
    },
  },
  'refund-made': {
    as: 'refund-made',
    untrue(story, { text }) {
      const given = [...givenBack(story, 'refund'), ...givenBack(story, 'refund-by-check')];
      return unless(tellsOneOf(text, given), 'another sum was given back');
    },
  },
  'confirm-address': { as: 'confirm', to: 'new address', untrue: anything },
  'address-changed': { as: 'changed', to: 'old address', untrue: anything },
  'test-session': {
    as: 'test-session',
    each: {
      of: () => '',
      dueAt: ({ person }, step) => (isIn(step, person.edition.retreat.testSession) ? [''] : []),
    },
    untrue: retreatComing(({ person }, mail) => {
      if (saysThatNoRoomIsThere(mail)) return 'there is a room';
      return within(person.edition.retreat.testSession, mail);
    }),
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
    untrue: retreatComing((story, mail) => {
      const { at, underWaySince: since, subject, text } = mail;
      const day = wayInOf(subject, story.person.edition.retreat);
      if (!day) return 'there is no such day';
      const late = within(day, mail);
      if (late) return late;
      const [isOpen, isOwing] = [text.includes(wayInWords.open), text.includes(wayInWords.owing)];
      if (isOpen === isOwing) return 'it does not say whether the room is open to her';
      if (isOpen) return at < settledIn(story).from ? 'it says open, and she owes the balance' : undefined;
      if (since > spansOf(story).disputed.until) return 'it asks for the balance, and she disputes it';
      return since > settledIn(story).until ? 'it asks for the balance, and it is paid' : undefined;
    }),
  },
  'schedule-changed': {
    as: 'schedule-changed',
    each: announced('schedule-changed'),
    untrue: retreatComing((story, mail) => {
      if (!isAnnounced(story, 'schedule-changed', mail.at)) return 'nothing was announced';
      return mail.underWaySince >= story.person.edition.moments.ends ? 'it is past' : undefined;
    }),
  },
  message: {
    as: 'message',
    each: announced('message'),
    untrue: retreatComing((story, mail) =>
      isAnnounced(story, 'message', mail.at) ? undefined : 'nobody wrote it',
    ),
  },
  recordings: {
    as: 'recordings',
    each: announced('recordings'),
    untrue: retreatComing((story, { at }) => {
      const { recordings = Number.POSITIVE_INFINITY } = story.person.edition.retreat;
      if (at < recordings) return 'it comes before its time';
      if (!isAnnounced(story, 'recordings', at)) return 'there are no recordings';
      return at < settledIn(story).from ? 'she owes the balance' : undefined;
    }),
  },
};

const byName = new Map(Object.values(PROMISES).map((promised) => [promised.as, promised]));
export const promised = (kind: string): Promised | undefined => byName.get(kind);
export const allPromises: readonly Promised[] = [...byName.values()];

/** The name of a letter's kind in the table of lives, from its Message-ID. */
export function kindOf(messageId: string): string {
  const [, kind = messageId] = /^<([a-z-]+)-reg_/.exec(messageId) ?? [];
  return PROMISES[kind]?.as ?? kind;
}

/** What a letter says that was not true, or to whom it should not have gone. */
export function untruthOf(mail: DatedMail, story: Story): string | undefined {
  const { at, underWaySince: since, recipients, subject } = mail;
  const { person } = story;
  const promise = promised(kindOf(mail.messageId));
  if (!promise) return undefined;
  const isToOffice = promise.to === 'office';
  const addresses = {
    office: [sampleOffice.OFFICE_EMAIL],
    'old address': [addressOf(person, false)],
    'new address': [addressOf(person, true)],
    sister: [`sister-${person.email}`],
    her: addressesAt(story, since, at),
  }[promise.to ?? 'her'];
  if (!recipients.every((one) => addresses.includes(one))) return 'it went to somebody else';
  if (!isToOffice && !subject.includes(person.edition.title)) return 'it is about another edition';
  if (!isToOffice && recipients.some((one) => wasDead(story, one, since, at)))
    return 'her address takes no letters';
  return promise.untrue(story, mail);
}

function heldUnpaid(
  { person, paidAt = Number.POSITIVE_INFINITY }: Story,
  mail: DatedMail,
): string | undefined {
  if (person.phone.length === 0) return 'no place is held';
  return mail.underWaySince > paidAt ? 'the deposit is paid' : undefined;
}

function wasTaken(story: Story, { at }: DatedMail): string | undefined {
  return at < spansOf(story).taken.from ? 'nobody has taken the place' : undefined;
}

function wasUndone(story: Story, { at }: DatedMail): string | undefined {
  return at < spansOf(story).undone.from ? 'it was not taken back' : undefined;
}

/** The day whose way in a letter gives, according to its subject. */
function wayInOf(subject: string, { wayIn }: RetreatLived): RetreatLived['wayIn'][number] | undefined {
  return wayIn.find(({ day }) => subject.includes(day));
}

/** The refunds that are no exceptions of the office. */
export function refundsOfCancel<One extends { cents: number }>(story: Story, refunds: readonly One[]): One[] {
  const exceptions = givenBack(story, 'refund').map((given) => given.cents);
  return refunds.filter(({ cents }) => {
    const place = exceptions.indexOf(cents);
    if (place >= 0) exceptions.splice(place, 1);
    return place < 0;
  });
}

export const sumOf = (refunds: readonly { cents: number }[]): number =>
  refunds.reduce((sum, { cents }) => sum + cents, 0);

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
