import type Stripe from 'stripe';
import * as v from 'valibot';
import type { ActRow, AttemptRow, PaymentRow } from '#server/database/database.ts';
import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import { type ActFacts, actsOfHolder, factsOfAct, hasKind, unreadablePayment } from './acts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days after each decline until the card is retried: four tries in all. Card networks allow 15 to 20 in 30 days. */
const RETRY_DAYS = [1, 3, 7];

/** How often one balance is tried in all, with whatever cards. */
export const MOST_TRIES = 12;

const AUTHENTICATION = 'authentication_required';

/** Card networks fine merchants who retry these. https://docs.stripe.com/declines/codes */
const NEVER_AGAIN = new Set([
  'do_not_try_again',
  'expired_card',
  'invalid_account',
  'lost_card',
  'pickup_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'stolen_card',
  'transaction_not_allowed',
]);

/** The same for Stripe's advice codes. https://docs.stripe.com/declines/card#retrying-issuer-declines */
const NEVER_AGAIN_ADVICE = new Set(['confirm_card_data', 'do_not_try_again']);

/**
 * The same for Mastercard's own advice codes: the account has changed, do not try again, a token is wrong, the payment was
 * stopped, the product is not sold this way, a single-use card, a sanction. https://docs.stripe.com/declines/network-codes
 */
const NEVER_AGAIN_NETWORK = new Set(['01', '03', '04', '21', '22', '41', '42', '99']);

/** Mastercard's advice codes that set a minimum pause, and the days after which the card may be retried. */
const NETWORK_DAYS = new Map([
  ['26', 2],
  ['27', 4],
  ['28', 6],
  ['29', 8],
  ['30', 10],
]);

export type Refusal = Pick<
  Stripe.PaymentIntent.LastPaymentError,
  'code' | 'decline_code' | 'advice_code' | 'network_advice_code'
>;

/** @param endsAt the end of the retreat: nothing is tried after it */
export function declineOf(
  refusal: Refusal,
  tried: Pick<Decline, 'try' | 'at' | 'card' | 'step'>,
  endsAt: Date,
): Decline {
  // The SDK gives '' where there is none: some declines are reported in the error's code only.
  const code = refusal.decline_code || refusal.code || 'card_declined';
  const decline = { ...tried, code };
  if (isFinal(code, refusal)) return { ...decline, final: true };
  const days = RETRY_DAYS[tried.step - 1];
  if (days === undefined || tried.try >= MOST_TRIES) return decline;
  const wait = Math.max(days, NETWORK_DAYS.get(refusal.network_advice_code ?? '') ?? 0);
  const next = new Date(tried.at.getTime() + wait * DAY_MS);
  return next < endsAt ? { ...decline, next } : decline;
}

function isFinal(code: string, { advice_code, network_advice_code }: Refusal): boolean {
  return (
    code === AUTHENTICATION ||
    NEVER_AGAIN.has(code) ||
    NEVER_AGAIN_ADVICE.has(advice_code ?? '') ||
    NEVER_AGAIN_NETWORK.has(network_advice_code ?? '')
  );
}

/** Begins the codes of tries that Stripe did not carry out; the rest is Stripe's code or the parameter that it names. */
export const NOT_TRIED = 'not_tried_';

const CODES: Readonly<Partial<Record<DeclineReason, readonly string[]>>> = {
  'insufficient-funds': ['insufficient_funds', 'card_velocity_exceeded', 'withdrawal_count_limit_exceeded'],
  expired: ['expired_card'],
  authentication: [
    'authentication_required',
    'authentication_not_handled',
    'mobile_device_authentication_required',
    'payment_intent_authentication_failure',
  ],
  'card-data': [
    'confirm_card_data',
    'incorrect_address',
    'incorrect_cvc',
    'incorrect_number',
    'incorrect_zip',
    'invalid_cvc',
    'invalid_expiry_month',
    'invalid_expiry_year',
    'invalid_number',
    'new_account_information_available',
  ],
  'card-blocked': [
    'card_not_supported',
    'currency_not_supported',
    'do_not_try_again',
    'fraudulent',
    'invalid_account',
    'lost_card',
    'merchant_blacklist',
    'pickup_card',
    'restricted_card',
    'revocation_of_all_authorizations',
    'revocation_of_authorization',
    'security_violation',
    'service_not_allowed',
    'stolen_card',
    'stop_payment_order',
    'transaction_not_allowed',
  ],
};

const reasons = new Map(
  declineReasons.flatMap((reason) => (CODES[reason] ?? []).map((code) => [code, reason] as const)),
);

/** That a card is lost or stolen is not revealed: its bearer may not be its owner. */
export function reasonOfDecline(code: string): DeclineReason {
  return code.startsWith(NOT_TRIED) ? 'not-tried' : (reasons.get(code) ?? 'declined');
}

export type CardOnFile = ActFacts<'card'>;

export type PaidCard = Pick<CardOnFile, 'brand' | 'last4'>;

/** When a card has expired in every time zone: the first moment after its last month, in the westernmost zone. */
export function expiryOf({ expMonth, expYear }: Pick<CardOnFile, 'expMonth' | 'expYear'>): Date {
  return new Date(Date.UTC(expYear, expMonth, 1, 12));
}

const chargedCardSchema = v.object({
  brand: v.string(),
  last4: v.string(),
  id: v.exactOptional(v.string()),
  expMonth: v.exactOptional(v.number()),
  expYear: v.exactOptional(v.number()),
  /** Of the bank that issued it, as two letters. */
  country: v.exactOptional(v.string()),
});

export type ChargedCard = v.InferOutput<typeof chargedCardSchema>;

/** @throws {AppError} when it is not what this site writes */
export function chargedCardOf({ id, card }: Pick<PaymentRow, 'id' | 'card'>): ChargedCard | undefined {
  if (card === null) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), chargedCardSchema), card);
  if (!read.success) throw unreadablePayment(`${id} was paid with a card that cannot be read`);
  return read.output;
}

export function paidCardOf(payment: PaymentRow): PaidCard | undefined {
  const card = chargedCardOf(payment);
  return card && { brand: card.brand, last4: card.last4 };
}

interface Agreed {
  edition: Edition;
  agreed?: BalanceTerms | undefined;
}

/** The rules of her balance: as she agreed to them, or those of the edition while she has agreed to none. */
export function balanceTermsOf({ agreed, edition: { facts } }: Agreed): BalanceTerms {
  return agreed ?? facts;
}

/** The card that was given last, or paid the deposit; none since it was detached at Stripe. */
export function cardOnFileOf(
  acts: readonly ActRow[],
  deposit: PaymentRow | undefined,
  state: 'unpaid' | 'paid' | 'closed',
): CardOnFile | undefined {
  if (state === 'closed') return undefined;
  const last = actsOfHolder(acts).findLast(({ kind }) => kind === 'card' || kind === 'card-detached');
  if (last) return last.kind === 'card' ? factsOfAct(last, 'card') : undefined;
  return deposit && !hasKind(acts, 'handed-over') ? firstCardOf(deposit) : undefined;
}

function firstCardOf(deposit: PaymentRow): CardOnFile | undefined {
  const { id, brand, last4, expMonth, expYear } = chargedCardOf(deposit) ?? {};
  if (!id || !brand || !last4 || !expMonth || !expYear || deposit.paidAt === null) return undefined;
  return { id, brand, last4, expMonth, expYear, since: new Date(deposit.paidAt) };
}

export interface Decline {
  try: number;
  at: Date;
  code: string;
  card: string;
  /** Tries of this card since she gave it or the office asked for a retry; it determines the pause before the next one. */
  step: number;
  next?: Date | undefined;
  /** This card must not be retried off-session, not even when the office asks for it. */
  final?: true | undefined;
}

export function declineOn(attempt: Omit<AttemptRow, 'registration'>): Decline | undefined {
  const { endedAt: at, code, card, step, nextAt, final } = attempt;
  if (code === null || at === null) return undefined;
  return {
    try: attempt.try,
    at,
    code,
    card,
    step,
    next: nextAt ?? undefined,
    final: final === 1 || undefined,
  };
}
