import { createOwnPageLinks } from '#server/links/own-page-links.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import { isWaitingMail, MAIL_KINDS, type MailJob, type MailKind, type MailOf } from '#server/mail/job.ts';
import type { OfficeItem } from '#server/mail/job-facts.ts';
import type { MessageContext } from '#server/mail/letters/links.ts';
import { edition as january } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';

/** Somebody to whom letters go, as a registrant or as one who waits for a place. */
export type Reader = typeof wilma;

export const wilma = {
  paymentIntentId: 'pi_1',
  waitingId: 'waiting_1',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'Europe/Berlin',
};
const paymentIntentId = 'pi_3Sample00000000000000001';

/** People whose names and places letters easily get wrong. */
export const readers: Readonly<Record<string, { label: string; person: Reader }>> = {
  berlin: { label: 'In Berlin', person: wilma },
  california: {
    label: 'In California',
    person: {
      ...{ ...wilma, paymentIntentId, timeZone: 'America/Los_Angeles' },
      ...{ firstName: 'Jördis', lastName: 'Weiß' },
    },
  },
  'right-to-left': {
    label: 'A name from right to left, and an emoji',
    person: { ...wilma, firstName: 'نور 🌿', lastName: 'حداد', timeZone: 'Asia/Kathmandu' },
  },
  message: {
    label: 'A message for a name',
    person: {
      ...wilma,
      firstName: 'Your account is on hold and will be closed today. Please call',
      lastName: '555 0142 with your card at hand, or the place is given to the next on the list',
    },
  },
  hostile: {
    label: 'A hostile name',
    person: {
      ...{ ...wilma, paymentIntentId, timeZone: '../etc/localtime' },
      firstName: '<script>alert(1)</script>\r\nBcc: all@example.org',
      lastName: '"\u202eO’Hara" <win@prize.example>',
      email: 'an-address-that-is-long-enough-to-push-a-table-apart@a-long-subdomain.example.org',
    },
  },
};

const siteUrl = 'https://retreat.example';
const secret = 'a-secret-of-sample-letters-only';

/** The site and the office from which the letters come. */
export const letterContext = {
  office: {
    email: 'office@retreat.example',
    phone: '+1 (555) 555-0100',
    fax: '+1 (555) 555-0101',
    postalAddress: '100 Example Street, Sampletown, CA 90000',
    legalName: 'Sample Retreats LLC',
  },
  siteUrl,
  links: createOwnPageLinks([secret], siteUrl),
  waitingLinks: createWaitingLinks([secret], siteUrl),
} satisfies MessageContext;

/** The same where the office's pages are set up, too: letters to the office link to them. */
export const contextWithOffice = { ...letterContext, officeUrl: 'https://office.retreat.example' };

/** What a letter says in addition to whom it is about. */
type Facts<Kind extends MailKind> = Omit<MailOf<Kind>, 'kind' | 'edition' | keyof Reader>;
type Variants<Kind extends MailKind> = { usual: Facts<Kind> } & Record<string, Facts<Kind>>;

const HOUR_MS = 60 * 60 * 1000;
const hoursAfter = (moment: string, hours: number): string =>
  new Date(Date.parse(moment) + hours * HOUR_MS).toISOString();

/** One row for each kind of letter, with all that it may have to say; it is complete, or it does not compile. */
function samplesOf({ facts, terms, timetable }: Edition): { [Kind in MailKind]: Variants<Kind> } {
  const { prices, balance } = facts;
  const sums = { cents: prices.balanceCents, beforeFeeCents: prices.balanceBeforeFeeCents };
  const part = { cents: 51_875, beforeFeeCents: 50_000 };
  const card = { brand: 'visa', last4: '4242' };
  const paidAt = hoursAfter(balance.chargeAt, 0);
  const charge = { ...sums, isRefundable: true, dueAt: paidAt, card };
  const refused = { ...sums, triedBefore: 0, card: { id: 'pm_1', ...card } };
  const asked = { ...sums, isRefundable: true, dueAt: paidAt };
  const byCard = { by: 'card', ...sums, paidAt, card, reference: 'pi_2' } as const;
  const receipt = {
    deposit: { cents: prices.depositCents, paidAt: hoursAfter(paidAt, -487), card },
    balance: byCard,
    waivedCents: 0,
  };
  const earlier = { at: hoursAfter(paidAt, -391) };
  const later = { at: hoursAfter(paidAt, 353), madeAt: hoursAfter(paidAt, 353.1) };

  /** She cancels two minutes before the balance stops being refundable. */
  const at = new Date(Date.parse(balance.refundsEndAt) - 121_500).toISOString();
  const deposit = { words: 'deposit', keptCents: prices.depositCents, why: 'not refunded', cents: 0 };
  const back = {
    ...{ cardCents: 70_000, checkCents: 0, card },
    lines: [
      deposit,
      { words: 'balance by card', why: 'cancelled in time', cents: 70_000 },
      { words: 'its card fee', keptCents: 2_625, why: 'not refunded', cents: 0 },
    ],
  };
  const byCheck = {
    ...{ cardCents: 0, checkCents: 70_000 },
    lines: [deposit, { words: 'balance by check', why: 'cancelled in time', cents: 70_000 }],
  };
  const nothing = {
    ...{ cardCents: 0, checkCents: 0 },
    lines: [deposit, { words: 'balance', why: 'not paid, and no longer charged', cents: 0 }],
  };
  const inRace = {
    ...{ cardCents: 62_625, checkCents: 0, card },
    lines: [
      deposit,
      { words: 'balance by card', why: 'paid after the cancellation', cents: 70_000 },
      { words: 'its card fee', cents: 2_625 },
      { words: 'given back before', cents: -10_000 },
    ],
  };
  const recorded = { at, writtenAt: at, isDisputed: false, undoUntil: hoursAfter(at, 24) };
  const cancelling = { ...recorded, onPage: true, workedOffFrom: hoursAfter(at, 25) } as const;
  const ended = { at: hoursAfter(at, 25), writtenAt: at };
  const undone = { ...sums, at: hoursAfter(paidAt, -271), standing: 'owed' } as const;
  const waiting = { joinedAt: earlier.at };
  const [eve, , aDay] = timetable.letters.wayIn.map((one) => ({ ...one, at: hoursAfter(one.at, 0) }));
  const entry = { day: aDay?.day ?? '', writtenAt: aDay?.at ?? '', isOpen: true };

  return {
    'registration-received': { usual: {}, 'with-a-place': { addressHasPlace: true } },
    'office-notice': { usual: {} },
    'office-change': {
      usual: { paid: false },
      'when-paid': { paid: true },
      'with-what-it-was': {
        paid: true,
        before: {
          name: { was: 'Wilma Flintstone', until: undone.at, by: 'the registrant' },
          email: { was: 'old@example.org', until: undone.at, by: 'Anna' },
          phoneNumber: { was: '', until: undone.at, by: '\u202eAnna\r\nBcc: x' },
        },
      },
    },
    welcome: {
      usual: { amountCents: prices.depositCents },
      'who-agreed': { amountCents: prices.depositCents, termsVersion: terms.version },
    },
    'second-payment': { usual: { amountCents: prices.depositCents, paidAt: receipt.deposit.paidAt } },
    'office-paid': {
      usual: { amountCents: prices.depositCents },
      'a-second-time': { amountCents: prices.depositCents, isSecond: true },
    },
    'balance-notice': {
      usual: charge,
      'of-a-late-deposit': { ...charge, isRefundable: false, dueAt: hoursAfter(paidAt, 127) },
      'with-a-part-waived': { ...charge, ...part },
      'for-a-card-that-expires': { ...charge, expires: true },
    },
    'balance-reminder': { usual: charge },
    'balance-postponed': { usual: { ...charge, dueAt: hoursAfter(paidAt, 360) } },
    'card-expires': { usual: { ...charge, card: { id: 'pm_1', ...card, expMonth: 11, expYear: 2025 } } },
    'please-pay': {
      usual: { ...asked, payBy: paidAt },
      'once-it-is-due': { ...asked, isRefundable: false },
    },
    'balance-failed': {
      usual: { ...refused, stage: 'first', reason: 'insufficient-funds', nextAt: hoursAfter(paidAt, 24) },
      last: { ...refused, stage: 'last', reason: 'declined' },
      'to-be-confirmed': { ...refused, stage: 'last', reason: 'authentication' },
    },
    'balance-paid': {
      usual: receipt,
      'by-check': {
        ...receipt,
        deposit: { cents: prices.depositCents, paidAt: receipt.deposit.paidAt },
        balance: { by: 'check', ...sums, cents: sums.beforeFeeCents, paidAt },
      },
      'with-a-part-waived': { ...receipt, waivedCents: 20_000, balance: { ...byCard, ...part } },
    },
    'cancel-received': {
      usual: { ...cancelling, ...back },
      'by-check': { ...cancelling, ...byCheck },
      'with-nothing-back': { ...cancelling, ...nothing },
      'by-the-office': { ...recorded, ...back },
      'once-it-cannot-be-taken-back': { at, writtenAt: at, ...back, isDisputed: true, onPage: true },
    },
    'office-cancel': { usual: { ...cancelling, ...back }, 'by-check': { ...cancelling, ...byCheck } },
    'cancel-undone': {
      usual: undone,
      'when-paid': { ...undone, standing: 'paid' },
      'with-a-check-to-come': { ...undone, standing: 'by-check' },
    },
    'office-cancel-undone': { usual: undone },
    cancelled: {
      usual: { ...ended, ...back },
      'by-check': { at: ended.at, ...byCheck },
      'with-nothing-back': { at: ended.at, ...nothing },
      'when-charged-by-a-race': { ...ended, ...inRace },
    },
    'refund-failed': { usual: { refund: 're_1', cents: 70_000, card } },
    'refund-made': {
      usual: { ...later, cents: 2_625, by: 'card', card },
      'by-check': { ...later, cents: 70_000, by: 'check' },
    },
    'test-session': { usual: { startsAt: hoursAfter(timetable.testSession.startsAt, 0) } },
    'way-in': {
      usual: entry,
      'the-day-before': { ...entry, day: eve?.day ?? '', writtenAt: eve?.at ?? '' },
      'while-something-is-left-to-pay': { ...entry, isOpen: false },
    },
    'confirm-address': { usual: { ...earlier, to: 'new@example.org' } },
    'address-changed': {
      usual: { ...earlier, to: 'old@example.org', by: 'herself' },
      'by-the-office': { ...earlier, to: 'old@example.org', by: 'the office' },
    },
    'schedule-changed': { usual: { revision: facts.calendar.revision + 1, writtenAt: later.at } },
    recordings: { usual: {} },
    'place-link': { usual: { request: '2025-12-22-1' } },
    'waiting-received': {
      usual: { ...waiting, until: hoursAfter(paidAt, -336) },
      'with-a-place': { ...waiting, until: hoursAfter(paidAt, -336), addressHasPlace: true },
    },
    'office-waiting': { usual: waiting },
    'place-offered': { usual: { ...waiting, until: hoursAfter(paidAt, -336) } },
    'office-digest': {
      usual: { day: '2025-12-23', items: fewItems },
      'with-everything': { day: '2025-12-23', items: allItems },
    },
  };
}

const cents = january.facts.prices.balanceCents;
const since = hoursAfter(january.facts.balance.chargeAt, 0);
const fewItems: OfficeItem[] = [
  {
    ...{ need: 'action-needed', reason: 'insufficient-funds', cents, since },
    ...{ name: 'Wilma O’Hara', paymentIntentId: wilma.paymentIntentId },
  },
  { need: 'payments', count: 2 },
  { need: 'overbooked', count: 1 },
];
/** One thing of each kind, and two of one. */
const allItems: OfficeItem[] = [
  ...fewItems,
  { need: 'asked-to-pay', obstacle: 'no-notice', name: 'نور حداد', paymentIntentId, cents, since },
  { need: 'asked-to-pay', obstacle: 'no-consent', name: 'Jördis Weiß', paymentIntentId, cents },
  { need: 'overdue', name: 'Frida Falk', paymentIntentId, cents, since },
  { need: 'check-overdue', name: 'Anna Berg', paymentIntentId, cents: 70_000, since },
  { need: 'disputed', name: 'Carla Conti', paymentIntentId },
  { need: 'second-payment', name: 'Klara Kranz', paymentIntentId, cents: 72_100, since },
  { need: 'deposit-refunded', name: 'Berta Busch', paymentIntentId },
  { need: 'check-to-send', name: 'Dora Duck', paymentIntentId, cents: 70_000, since },
  { need: 'refund-overdue', name: 'Greta Garn', paymentIntentId, cents: 70_000, since },
  { need: 'letter-failed', name: 'Eva Ernst', paymentIntentId, mail: 'welcome-pi_1-0a1b2c3d', since },
  { need: 'bounced', name: 'Hanna Holm', paymentIntentId, cents, since },
  { need: 'complained', name: 'Ida Iversen', paymentIntentId, since },
  { need: 'place-free', count: 1 },
  { need: 'waiting-bounced', name: 'Jutta Juhl', since },
];

/** A kind of letter, in a variant of the table, to somebody. */
export function letter<Kind extends MailKind>(
  kind: Kind,
  variant = 'usual',
  reader: Reader = wilma,
  edition: Edition = january,
): MailOf<Kind> {
  const facts = samplesOf(edition)[kind][variant];
  if (!facts) throw new Error(`There is no letter ${kind}, ${variant}`);
  const { waitingId, paymentIntentId: payment, ...person } = reader;
  const about = isWaitingMail(kind) ? { waitingId, ...person } : { paymentIntentId: payment, ...person };
  const letter: object = {
    kind,
    edition: edition.facts.id,
    ...(kind !== 'office-digest' && about),
    ...facts,
  };
  // The row of each kind is typed; what TypeScript cannot follow is that `kind` names it.
  return letter as MailOf<Kind>;
}

/** Every letter of the table, by its kind and what is special about it: `welcome`, `welcome-who-agreed`. */
export function everyLetter(reader?: Reader, edition: Edition = january): Readonly<Record<string, MailJob>> {
  const samples = samplesOf(edition);
  const named = MAIL_KINDS.flatMap((kind) =>
    Object.keys(samples[kind]).map((variant) => {
      const name = variant === 'usual' ? kind : `${kind}-${variant}`;
      return [name, letter(kind, variant, reader, edition)] as const;
    }),
  );
  return Object.fromEntries(named);
}
