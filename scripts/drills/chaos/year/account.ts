import type Stripe from 'stripe';
import type { Bounces, Mended } from './bounces.ts';
import type { Announced, DatedMail, Ledger } from './ledger.ts';
import { addressesOf } from './people.ts';
import type { Registrant } from './register.ts';
import type { Returned } from './tell-bounce.ts';

const PAGE = { limit: 100 };
const ALL = { limit: 10_000 };

/**
 * One registration according to Stripe, the mail server and the drill's own notes. Moments are in business
 * time.
 */
export interface Story extends Registrant {
  deposit: Pick<Stripe.PaymentIntent, 'metadata' | 'customer'>;
  /** Payments of the balance that succeeded. */
  paid: { cents: number; at: number; withoutHer: boolean }[];
  /** When a charge of her card without her was refused. */
  refusedAt: readonly number[];
  charges: readonly ChargeFacts[];
  tries: number;
  cancel: Cancelling | undefined;
  /** What the worker recorded when it carried out the cancellation. */
  workedOff: { at: number; cents: number; checkCents: number } | undefined;
  refunds: readonly RefundFacts[];
  /** US cents that the office gave back by decisions of its own: to the card, and by check. */
  givenBack: readonly number[];
  /** When the check was promised, and when it came. */
  checkAt: number;
  checkCameAt: number;
  /**
   * When the waiver was decided according to the deposit's metadata, and when it was first to be written
   * there: in between, the balance may be waived or not.
   */
  waivedAt: number;
  waivingAt: number;
  postponed: { at: number; askedAt: number; until: number } | undefined;
  disputedAt: number;
  /** When she gave another card. */
  newCardAt: number;
  /** From when on her address may be corrected. */
  correctedAt: number;
  mails: readonly DatedMail[];
  /** Which of her letters bounced, and when the office said that letters arrive again. */
  returned: readonly Returned[];
  mended: readonly Mended[];
  /** What the office announced to all registrants of her edition. */
  announced: readonly Announced[];
}

/** Her cancellation, also one that she has taken back. */
interface Cancelling {
  at: number;
  writtenAt: number;
  /** Whether the balance was unpaid when the cancellation was recorded. */
  balanceOpen: boolean;
  /** When the cancellation was taken back. */
  undoneAt?: number;
}

/** A refund to a card, also one that is pending or failed. */
export interface RefundFacts {
  id: string;
  of: 'deposit' | 'balance';
  cents: number;
  at: number;
  status: Stripe.Refund['status'];
  /** The act that the refund's metadata names. */
  order: string | undefined;
}

type ChargeFacts = Pick<Stripe.Charge, 'id' | 'status' | 'amount' | 'customer'>;

/** The content of the account at Stripe at the end. */
export interface Account {
  customers: readonly Pick<Stripe.Customer, 'id'>[];
  intents: readonly Stripe.PaymentIntent[];
  charges: readonly ChargeFacts[];
  refunds: readonly Pick<
    Stripe.Refund,
    'id' | 'amount' | 'created' | 'metadata' | 'payment_intent' | 'status'
  >[];
}

/** Reads the whole account. */
export async function readAccount(stripe: Stripe): Promise<Account> {
  return {
    customers: await stripe.customers.list(PAGE).autoPagingToArray(ALL),
    intents: await stripe.paymentIntents.list(PAGE).autoPagingToArray(ALL),
    charges: await stripe.charges.list(PAGE).autoPagingToArray(ALL),
    refunds: await stripe.refunds.list(PAGE).autoPagingToArray(ALL),
  };
}

/** What people outside of the product did, by the drill's own notes. */
export interface Notes {
  ledger: Ledger;
  bounces: Pick<Bounces, 'returned' | 'mended'>;
}

/** Puts together what belongs to each registration. */
export function storiesOf(
  registrants: readonly Registrant[],
  { intents, charges, refunds }: Account,
  { ledger, bounces }: Notes,
): Story[] {
  const mailsOf = byPayment(ledger.mails);
  return registrants.flatMap((registrant) => {
    const { depositId, person } = registrant;
    const deposit = intents.find(({ id }) => id === depositId);
    if (!deposit) return [];
    const { metadata, customer } = deposit;
    const addresses = addressesOf(person);
    const balances = intents.filter(
      (one) => one.metadata.kind === 'balance' && one.metadata.deposit === depositId,
    );
    const ids = new Set(balances.map(({ id }) => id));
    const events = ledger.payments.filter(({ paymentIntentId }) => ids.has(paymentIntentId));
    const decided = (name: string): Record<string, string> => JSON.parse(metadata[name] ?? '{}');
    const at = (text: string | undefined) =>
      text === undefined ? Number.POSITIVE_INFINITY : Date.parse(text);
    const { at: postponedAt, until } = decided('postponed');
    const paidAt = paymentOf(ledger, depositId)?.at;
    return {
      ...registrant,
      ...(paidAt !== undefined && { paidAt }),
      deposit,
      paid: balances
        .filter(({ status }) => status === 'succeeded')
        .map(({ id, amount_received: cents }) => ({ cents, ...payment(ledger, id) })),
      refusedAt: events
        .filter(({ type, withoutHer }) => withoutHer && type === 'payment_intent.payment_failed')
        .map((event) => event.at),
      charges: charges.filter((charge) => charge.customer === customer),
      tries: [...ids].reduce((sum, id) => sum + (ledger.tries.get(id) ?? 0), 0),
      cancel: cancellingOf(decided('cancel'), ledger.firstWrite(depositId, 'cancel')),
      workedOff: workedOffOf(metadata.cancelled),
      refunds: refunds
        .filter(({ payment_intent: id }) => id === depositId || ids.has(String(id)))
        .map((refund) => ({
          ...{ id: refund.id, cents: refund.amount, at: refund.created * 1000, status: refund.status },
          of: refund.payment_intent === depositId ? 'deposit' : 'balance',
          order: refund.metadata?.order,
        })),
      givenBack: [decided('refund').cents, decided('checkSent').cents].map(Number),
      checkAt: at(decided('check').at),
      checkCameAt: decided('check').receivedAt ? at(decided('check').at) : Number.POSITIVE_INFINITY,
      waivedAt: at(decided('waived').at),
      waivingAt: ledger.firstWrite(depositId, 'waived'),
      postponed:
        until === undefined
          ? undefined
          : { at: at(postponedAt), askedAt: ledger.firstWrite(depositId, 'postponed'), until: at(until) },
      disputedAt: person.deeds.find(({ does }) => does === 'dispute')?.at ?? Number.POSITIVE_INFINITY,
      newCardAt: at(decided('card').since),
      correctedAt:
        person.deeds.find((deed) => 'corrects' in deed && deed.corrects)?.at ?? Number.POSITIVE_INFINITY,
      mails: mailsOf.get(depositId) ?? [],
      returned: bounces.returned.filter(({ address }) => addresses.includes(address)),
      mended: bounces.mended.filter(({ address }) => addresses.includes(address)),
      announced: ledger.announced.filter(({ edition }) => edition === person.edition.id),
    };
  });
}

function cancellingOf(
  { at, writtenAt, balanceOpen, withdrawn }: Readonly<Record<string, unknown>>,
  firstAt: number,
): Cancelling | undefined {
  if (at === undefined) return undefined;
  const [decidedAt, wroteAt] = [at, writtenAt].map((moment) => Date.parse(String(moment)));
  if (withdrawn) return { at: firstAt, writtenAt: firstAt, balanceOpen: false, undoneAt: decidedAt ?? 0 };
  return { at: decidedAt ?? 0, writtenAt: wroteAt ?? 0, balanceOpen: balanceOpen === true };
}

function workedOffOf(text: string | undefined): Story['workedOff'] {
  if (text === undefined) return undefined;
  const { at, cents, checkCents } = JSON.parse(text);
  return { at: Date.parse(at), cents, checkCents };
}

function paymentOf({ payments }: Ledger, id: string) {
  return payments.find((one) => one.paymentIntentId === id && one.type === 'payment_intent.succeeded');
}

function payment(ledger: Ledger, id: string): { at: number; withoutHer: boolean } {
  const { at = Number.NaN, withoutHer = false } = paymentOf(ledger, id) ?? {};
  return { at, withoutHer };
}

function byPayment(mails: readonly DatedMail[]): Map<string, DatedMail[]> {
  const grouped = new Map<string, DatedMail[]>();
  for (const mail of mails) {
    const [id] = /pi_\w+/.exec(mail.messageId) ?? [];
    if (id) grouped.set(id, [...(grouped.get(id) ?? []), mail]);
  }
  return grouped;
}
