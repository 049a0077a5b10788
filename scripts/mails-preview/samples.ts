import type { MailJob } from '#server/mail/job.ts';
import type { OfficeItem } from '#server/mail/job-facts.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { type Person, type SampleName, samples } from './sample-people.ts';

const { prices, balance } = facts;
const sums = { cents: prices.balanceCents, beforeFeeCents: prices.balanceBeforeFeeCents };
const card = { brand: 'visa', last4: '4242' };
const charge = { ...sums, isRefundable: true, dueAt: balance.chargeAt, card };
const refused = { ...sums, triedBefore: 0, card: { id: 'pm_1', ...card } };
const asked = { ...sums, dueAt: balance.chargeAt };
const daysLater = (moment: string, days: number): string =>
  new Date(Date.parse(moment) + days * 24 * 60 * 60 * 1000).toISOString();
const receipt = {
  deposit: { cents: prices.depositCents, paidAt: daysLater(balance.chargeAt, -20), card },
  waivedCents: 0,
};
const paidAt = balance.chargeAt;
const [, , aSecondDay] = timetable.letters.wayIn;
const aDay = { day: aSecondDay?.day ?? facts.startDate, writtenAt: aSecondDay?.at ?? facts.endsAt };

/** The moment of a cancellation, about two minutes before the balance stops being refundable. */
const writtenAt = new Date(Date.parse(balance.refundsEndAt) - 122_000).toISOString();
const at = writtenAt;
const undoUntil = daysLater(at, 1);
const workedOffFrom = daysLater(at, 25 / 24);
const deposit = { words: 'deposit', keptCents: 72_100, why: 'not refunded', cents: 0 };
const back = {
  ...{ cardCents: 70_000, checkCents: 0, card },
  lines: [
    deposit,
    { words: 'balance by card', why: 'cancelled in time', cents: 70_000 },
    { words: 'its card fee', keptCents: 2_625, why: 'not refunded', cents: 0 },
  ],
};
const backByCheck = {
  ...{ cardCents: 0, checkCents: 70_000 },
  lines: [deposit, { words: 'balance by check', why: 'cancelled in time', cents: 70_000 }],
};
const nothingBack = {
  ...{ cardCents: 0, checkCents: 0 },
  lines: [deposit, { words: 'balance', why: 'not paid, and no longer charged', cents: 0 }],
};
const backWhole = {
  ...{ cardCents: 62_625, checkCents: 0, card },
  lines: [
    deposit,
    { words: 'balance by card', why: 'paid after the cancellation', cents: 70_000 },
    { words: 'its card fee', cents: 2_625 },
    { words: 'given back before', cents: -10_000 },
  ],
};
const cancelling = {
  at,
  writtenAt,
  ...back,
  onPage: true,
  isDisputed: false,
  undoUntil,
  workedOffFrom,
} as const;

/** A day's digest with one thing of each kind, and two of one. */
const needed: Omit<OfficeItem, 'paymentIntentId'>[] = [
  {
    need: 'action-needed',
    reason: 'insufficient-funds',
    name: 'Wilma O’Hara',
    cents: sums.cents,
    since: paidAt,
  },
  { need: 'asked-to-pay', obstacle: 'no-notice', name: 'نور حداد', cents: sums.cents, since: paidAt },
  { need: 'asked-to-pay', obstacle: 'no-consent', name: 'Jördis Weiß', cents: sums.cents },
  { need: 'overdue', name: 'Frida Falk', cents: sums.cents, since: paidAt },
  { need: 'check-overdue', name: 'Anna Berg', cents: sums.beforeFeeCents, since: paidAt },
  { need: 'disputed', name: 'Carla Conti' },
  { need: 'check-to-send', name: 'Dora Duck', cents: sums.beforeFeeCents, since: paidAt },
  { need: 'refund-overdue', name: 'Greta Garn', cents: sums.beforeFeeCents, since: paidAt },
  {
    need: 'letter-failed',
    name: 'Eva Ernst',
    mail: 'welcome-pi_3Sample00000000000000007-0a1b2c3d',
    since: paidAt,
  },
  { need: 'bounced', name: 'Hanna Holm', cents: sums.cents, since: paidAt },
  { need: 'complained', name: 'Ida Iversen', since: paidAt },
];
const officeItems: OfficeItem[] = [
  ...needed.map((item, index) => ({ ...item, paymentIntentId: `pi_3Sample0000000000000000${index}` })),
  { need: 'payments', count: 2 },
  { need: 'place-free', count: 1 },
  { need: 'waiting-bounced', name: 'Jutta Juhl', since: paidAt },
  { need: 'overbooked', count: 1 },
];

/** The same person on the waiting list. */
const waitingOf = ({ firstName, lastName, email, phoneNumber, timeZone }: Person) => ({
  ...{ firstName, lastName, email, phoneNumber, timeZone, edition: facts.id },
  ...{ waitingId: 'cus_Sample0000001', joinedAt: daysLater(balance.chargeAt, -9) },
});

/** The letters by the name in the URL: every kind, in all its variants. */
export const letters = {
  'registration-received': (person) => ({ kind: 'registration-received', ...person }),
  'registration-received-with-a-place': (person) => ({
    kind: 'registration-received',
    ...person,
    addressHasPlace: true,
  }),
  welcome: (person) => ({
    kind: 'welcome',
    ...person,
    amountCents: facts.prices.depositCents,
    termsVersion: terms.version,
  }),
  'office-notice': (person) => ({ kind: 'office-notice', ...person }),
  'office-change': (person) => ({ kind: 'office-change', ...person }),
  'office-change-with-what-it-was': (person) => ({
    kind: 'office-change',
    ...person,
    paid: true,
    before: {
      name: { was: 'Wilma Flintstone', until: at, by: 'the registrant' },
      email: { was: 'old@example.org', until: at, by: 'Anna' },
      phoneNumber: { was: '', until: at, by: 'Anna' },
    },
  }),
  'office-change-when-paid': (person) => ({ kind: 'office-change', ...person, paid: true }),
  'office-paid': (person) => ({ kind: 'office-paid', ...person, amountCents: facts.prices.depositCents }),
  'balance-notice': (person) => ({ kind: 'balance-notice', ...person, ...charge }),
  'balance-notice-of-a-late-deposit': (person) => ({
    kind: 'balance-notice',
    ...person,
    ...charge,
    isRefundable: false,
    dueAt: daysLater(balance.chargeAt, 5.31),
  }),
  'balance-notice-with-a-part-waived': (person) => ({
    kind: 'balance-notice',
    ...person,
    ...charge,
    cents: 51_875,
    beforeFeeCents: 50_000,
  }),
  'balance-notice-for-a-card-that-expires': (person) => ({
    kind: 'balance-notice',
    ...person,
    ...charge,
    expires: true,
  }),
  'balance-reminder': (person) => ({ kind: 'balance-reminder', ...person, ...charge }),
  'balance-postponed': (person) => ({
    kind: 'balance-postponed',
    ...person,
    ...charge,
    dueAt: daysLater(balance.chargeAt, 15),
  }),
  'card-expires': (person) => ({
    kind: 'card-expires',
    ...person,
    ...charge,
    card: { id: 'pm_1', brand: 'amex', last4: '0005', expMonth: 11, expYear: 2025 },
  }),
  'please-pay': (person) => ({
    kind: 'please-pay',
    ...person,
    ...asked,
    isRefundable: true,
    payBy: balance.chargeAt,
  }),
  'please-pay-once-it-is-due': (person) => ({
    kind: 'please-pay',
    ...person,
    ...asked,
    isRefundable: false,
  }),
  'balance-failed-first': (person) => ({
    kind: 'balance-failed',
    ...person,
    ...refused,
    stage: 'first',
    reason: 'insufficient-funds',
    nextAt: daysLater(balance.chargeAt, 1),
  }),
  'balance-failed-last': (person) => ({
    kind: 'balance-failed',
    ...person,
    ...refused,
    stage: 'last',
    reason: 'declined',
  }),
  'balance-failed-to-be-confirmed': (person) => ({
    kind: 'balance-failed',
    ...person,
    ...refused,
    stage: 'last',
    reason: 'authentication',
  }),
  'balance-paid': (person) => ({
    kind: 'balance-paid',
    ...person,
    ...receipt,
    balance: { by: 'card', ...sums, paidAt, card, reference: 'pi_3Sample00000000000000009' },
  }),
  'balance-paid-by-check': (person) => ({
    kind: 'balance-paid',
    ...person,
    ...receipt,
    balance: { by: 'check', cents: sums.beforeFeeCents, beforeFeeCents: sums.beforeFeeCents, paidAt },
  }),
  'balance-paid-with-a-part-waived': (person) => ({
    kind: 'balance-paid',
    ...person,
    ...receipt,
    waivedCents: 20_000,
    balance: {
      by: 'card',
      cents: 51_875,
      beforeFeeCents: 50_000,
      paidAt,
      card,
      reference: 'pi_3Sample00000000000000009',
    },
  }),
  'cancel-received': (person) => ({ kind: 'cancel-received', ...person, ...cancelling }),
  'cancel-received-by-check': (person) => ({
    kind: 'cancel-received',
    ...person,
    ...cancelling,
    ...backByCheck,
  }),
  'cancel-received-with-nothing-back': (person) => ({
    kind: 'cancel-received',
    ...person,
    ...cancelling,
    ...nothingBack,
  }),
  'cancel-received-by-the-office': (person) => ({
    kind: 'cancel-received',
    ...person,
    ...{ at, writtenAt, isDisputed: false, undoUntil, ...back },
  }),
  'cancel-received-once-it-cannot-be-taken-back': (person) => ({
    kind: 'cancel-received',
    ...person,
    ...{ at, writtenAt, isDisputed: true, ...back, onPage: true },
  }),
  'office-cancel': (person) => ({ kind: 'office-cancel', ...person, ...cancelling }),
  'office-cancel-by-check': (person) => ({ kind: 'office-cancel', ...person, ...cancelling, ...backByCheck }),
  'cancel-undone': (person) => ({ kind: 'cancel-undone', ...person, ...sums, at, standing: 'owed' }),
  'cancel-undone-when-paid': (person) => ({
    kind: 'cancel-undone',
    ...person,
    ...sums,
    at,
    standing: 'paid',
  }),
  'cancel-undone-with-a-check-to-come': (person) => ({
    kind: 'cancel-undone',
    ...person,
    ...sums,
    at,
    standing: 'by-check',
  }),
  'office-cancel-undone': (person) => ({
    kind: 'office-cancel-undone',
    ...person,
    ...sums,
    at,
    standing: 'owed',
  }),
  cancelled: (person) => ({ kind: 'cancelled', ...person, ...back, at: workedOffFrom, writtenAt }),
  'cancelled-by-check': (person) => ({
    kind: 'cancelled',
    ...person,
    ...backByCheck,
    at: workedOffFrom,
    writtenAt,
  }),
  'cancelled-with-nothing-back': (person) => ({
    kind: 'cancelled',
    ...person,
    ...nothingBack,
    at: workedOffFrom,
    writtenAt,
  }),
  'cancelled-when-charged-by-a-race': (person) => ({
    kind: 'cancelled',
    ...person,
    ...backWhole,
    at: workedOffFrom,
    writtenAt,
  }),
  'refund-failed': (person) => ({ kind: 'refund-failed', ...person, refund: 're_1', cents: 70_000, card }),
  'refund-made': (person) => ({
    kind: 'refund-made',
    ...person,
    ...{ at, madeAt: at, cents: 2_625, by: 'card', card },
  }),
  'refund-made-by-check': (person) => ({
    kind: 'refund-made',
    ...person,
    ...{ at, madeAt: at, cents: 70_000, by: 'check' },
  }),
  'test-session': (person) => ({ kind: 'test-session', ...person, startsAt: timetable.testSession.startsAt }),
  'way-in-the-day-before': (person) => ({
    kind: 'way-in',
    ...person,
    ...{ day: timetable.linkDates.retreat, isOpen: true, writtenAt: facts.balance.chargeAt },
  }),
  'way-in': (person) => ({ kind: 'way-in', ...person, ...aDay, isOpen: true }),
  'way-in-while-something-is-left-to-pay': (person) => ({
    kind: 'way-in',
    ...person,
    ...aDay,
    isOpen: false,
  }),
  'confirm-address': (person) => ({ kind: 'confirm-address', ...person, to: 'new@example.org', at }),
  'address-changed': (person) => ({
    kind: 'address-changed',
    ...person,
    ...{ to: 'old@example.org', at, by: 'herself' },
  }),
  'address-changed-by-the-office': (person) => ({
    kind: 'address-changed',
    ...person,
    ...{ to: 'old@example.org', at, by: 'the office' },
  }),
  'schedule-changed': (person) => ({
    kind: 'schedule-changed',
    ...person,
    revision: facts.calendar.revision + 1,
    writtenAt: paidAt,
  }),
  recordings: (person) => ({ kind: 'recordings', ...person }),
  'place-link': (person) => ({ kind: 'place-link', ...person, request: '2025-12-22-1' }),
  'waiting-received': (person) => ({ kind: 'waiting-received', ...waitingOf(person) }),
  'waiting-received-with-a-place': (person) => ({
    kind: 'waiting-received',
    ...waitingOf(person),
    addressHasPlace: true,
  }),
  'office-waiting': (person) => ({ kind: 'office-waiting', ...waitingOf(person) }),
  'place-offered': (person) => ({
    kind: 'place-offered',
    ...waitingOf(person),
    until: daysLater(balance.chargeAt, -5),
  }),
  'office-digest': () => ({
    kind: 'office-digest',
    edition: facts.id,
    day: '2025-12-23',
    items: officeItems,
  }),
} as const satisfies Record<string, (person: Person) => MailJob>;
export type LetterName = keyof typeof letters;

/** One letter's job for one sample person. */
export function sampleJob(sample: SampleName, letter: LetterName): MailJob {
  return letters[letter](samples[sample].person);
}

export function isLetterName(name: string | undefined): name is LetterName {
  return name !== undefined && Object.hasOwn(letters, name);
}
