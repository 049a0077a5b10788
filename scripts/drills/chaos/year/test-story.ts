import type { Story } from './account.ts';
import { onSale } from './editions.ts';
import type { DatedMail } from './ledger.ts';
import { LIVES } from './lives.ts';
import { personOf } from './people.ts';

const { moments } = onSale;
const NEVER = Number.POSITIVE_INFINITY;
export const CUSTOMER = 'cus_1';
/** Her charges. */
export const DEPOSIT = { id: 'ch_1', status: 'succeeded', amount: 72_100, customer: CUSTOMER } as const;
export const BALANCE = { id: 'ch_2', status: 'succeeded', amount: 72_625, customer: CUSTOMER } as const;
export const person = personOf(1, 'charged', LIVES.charged, moments.opens);

/** A letter to her that the mail server accepted at a moment. */
export const mail = (kind: string, at: number, text: string): DatedMail => ({
  messageId: `<${kind}-pi_1-0a1b2c3d@retreat.example>`,
  ...{ recipients: [person.email], replyTo: person.email },
  subject: onSale.title,
  text,
  atMs: at,
  cut: false,
  at,
  underWaySince: at,
});
export const NOTICE = mail('balance-notice', moments.notice, 'December 21, 2025: $726.25');

/** Somebody who was notified, and charged on the due day; `changes` override that. */
export const storyWith = (changes: Partial<Story> = {}): Story => ({
  person,
  depositId: 'pi_1',
  paidAt: moments.opens,
  deposit: { metadata: { terms: '2' }, customer: CUSTOMER },
  paid: [{ cents: 72_625, at: moments.charge + 1_000, withoutHer: true }],
  refusedAt: [],
  charges: [DEPOSIT, BALANCE],
  tries: 1,
  ...{ cancel: undefined, workedOff: undefined, refunds: [], givenBack: [] },
  checkAt: NEVER,
  checkCameAt: NEVER,
  waivedAt: NEVER,
  waivingAt: NEVER,
  postponed: undefined,
  disputedAt: NEVER,
  newCardAt: NEVER,
  correctedAt: NEVER,
  mails: [NOTICE],
  ...{ returned: [], mended: [], announced: [] },
  ...changes,
});
