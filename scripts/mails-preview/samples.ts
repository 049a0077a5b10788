import { createPlaceLinks } from '#server/links/place-links.ts';
import type { MailJob } from '#server/mail/job.ts';
import type { OfficeItem } from '#server/mail/job-facts.ts';
import type { MessageContext } from '#server/mail/letters/links.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';

const siteUrl = 'https://retreat.example';

/** The site that the samples were registered at. */
export const sampleContext: MessageContext = {
  office: {
    email: 'office@retreat.example',
    phone: '+1 (555) 555-0100',
    fax: '+1 (555) 555-0101',
    postalAddress: '100 Example Street, Sampletown, CA 90000',
    legalName: 'Sample Retreats LLC',
  },
  siteUrl,
  links: createPlaceLinks(['a-secret-of-the-preview-of-letters'], siteUrl),
};

const visitor = {
  paymentIntentId: 'pi_3Sample00000000000000001',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'America/Los_Angeles',
};

/** People to preview the letters with, by the name that stands in the address. */
export const samples = {
  california: { label: 'In California', person: visitor },
  berlin: {
    label: 'In Berlin',
    person: { ...visitor, firstName: 'Jördis', lastName: 'Weiß', timeZone: 'Europe/Berlin' },
  },
  'right-to-left': {
    label: 'A name from right to left, and an emoji',
    person: { ...visitor, firstName: 'نور 🌿', lastName: 'حداد', timeZone: 'Asia/Kathmandu' },
  },
  message: {
    label: 'A message for a name',
    person: {
      ...visitor,
      firstName: 'Your account is on hold and will be closed today. Please call',
      lastName: '555 0142 with your card at hand, or the place is given to the next on the list',
    },
  },
  hostile: {
    label: 'A hostile name',
    person: {
      ...visitor,
      firstName: '<script>alert(1)</script>\r\nBcc: all@example.org',
      lastName: '"\u202eO’Hara" <win@prize.example>',
      email: 'an-address-that-is-long-enough-to-push-a-table-apart@a-long-subdomain.example.org',
      timeZone: '../etc/localtime',
    },
  },
} as const satisfies Record<string, { label: string; person: typeof visitor }>;
export type SampleName = keyof typeof samples;

type Person = (typeof samples)[SampleName]['person'];

const { prices, balance } = facts;
const sums = { cents: prices.balanceCents, beforeFeeCents: prices.balanceBeforeFeeCents };
const card = { brand: 'visa', last4: '4242' };
const charge = { ...sums, isRefundable: true, dueAt: balance.chargeAt, card };
const refused = { ...sums, card: { id: 'pm_1', ...card } };
const daysLater = (moment: string, days: number): string =>
  new Date(Date.parse(moment) + days * 24 * 60 * 60 * 1000).toISOString();
const receipt = {
  deposit: { cents: prices.depositCents, paidAt: daysLater(balance.chargeAt, -20), card },
  waivedCents: 0,
};
const paidAt = balance.chargeAt;

/** A day's digest with one thing of each kind. */
const officeItems: OfficeItem[] = [
  {
    need: 'action-needed',
    reason: 'insufficient-funds',
    name: 'Wilma O’Hara',
    cents: sums.cents,
    since: paidAt,
    paymentIntentId: 'pi_3Sample00000000000000001',
  },
  {
    need: 'asked-to-pay',
    obstacle: 'no-notice',
    name: 'نور حداد',
    cents: sums.cents,
    since: paidAt,
    paymentIntentId: 'pi_3Sample00000000000000002',
  },
  {
    need: 'asked-to-pay',
    obstacle: 'no-consent',
    name: 'Jördis Weiß',
    cents: sums.cents,
    paymentIntentId: 'pi_3Sample00000000000000003',
  },
  {
    need: 'check-overdue',
    name: 'Anna Berg',
    cents: sums.beforeFeeCents,
    since: paidAt,
    paymentIntentId: 'pi_3Sample00000000000000004',
  },
  { need: 'disputed', name: 'Carla Conti', paymentIntentId: 'pi_3Sample00000000000000005' },
  {
    need: 'refund-by-hand',
    name: 'Dora Duck',
    cents: sums.beforeFeeCents,
    since: paidAt,
    paymentIntentId: 'pi_3Sample00000000000000006',
  },
  {
    need: 'letter-failed',
    name: 'Eva Ernst',
    mail: 'balance-notice-pi_3Sample00000000000000007-0a1b2c3d',
    since: paidAt,
    paymentIntentId: 'pi_3Sample00000000000000007',
  },
  { need: 'payments', count: 2 },
];

/** The letters by the name that stands in the address: every kind, and what else it says at times. */
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
    ...sums,
    isRefundable: true,
    payBy: balance.chargeAt,
  }),
  'please-pay-once-it-is-due': (person) => ({
    kind: 'please-pay',
    ...person,
    ...sums,
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
  'place-link': (person) => ({ kind: 'place-link', ...person, request: '2025-12-22-1' }),
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

export function isSampleName(name: string | undefined): name is SampleName {
  return name !== undefined && Object.hasOwn(samples, name);
}

export function isLetterName(name: string | undefined): name is LetterName {
  return name !== undefined && Object.hasOwn(letters, name);
}
