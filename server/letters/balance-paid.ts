import {
  type Installment,
  installmentsOf,
  nextInstallment,
  type PaidCard,
  paidBalances,
  type ReceivedPart,
  type RegistrationRecord,
  receivedFor,
  reductionOf,
  stateOf,
  sumOfCents,
  surplusLeft,
} from '#server/registration/registration.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { nameOfPart, type PartOfPlan, REDUCTIONS, type WayBesideCard } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type LetterKinds, type RegistrationLetter, TO_HER } from './letter-kind.ts';
import { type FactRow, factTable, heading } from './render/letter.ts';
import { fullName, isolate, safeName } from './render/names.ts';
import { daysOf, inDollars, pageButton, statementRows, type Writing, withFee } from './render/parts.ts';
import { depositWay } from './sums.ts';

export const balancePaid = {
  /** Once it is paid, by card, check or transfer. */
  'balance-paid': {
    ...TO_HER,
    name: 'Receipt for the balance',
    subject: ({ facts }) => `Paid in full: your receipt for ${facts.title}`,
    due(record, now) {
      if (stateOf(record, now) !== 'settled') return undefined;
      const { handedOver } = record;
      const balance = paymentsOf(record);
      const last = balance.at(-1);
      if (!last || !record.paidAt || (handedOver && last.paidAt < handedOver.at)) return undefined;
      return {
        // A second check gets a second receipt.
        key: balance.map(({ reference, paidAt }) => reference ?? paidAt),
        says(w) {
          const surplusCents = surplusLeft(record);
          const isPlan = nextInstallment(record).part !== undefined;
          const isMany = balance.length > 1;
          return {
            preheader: 'Everything has arrived, and nothing is left to pay.',
            title: 'Everything is paid. Thank you.',
            blocks: [
              `${isPlan ? 'Your payment plan is complete: all of its parts have arrived.' : 'The balance has arrived.'} Your place in ${w.edition.facts.title}, ${daysOf(w.edition)}, is now paid in full, and nothing is left to pay.`,
              handedOver
                ? 'Please keep this e-mail: it is your receipt for the balance. You can also print it from your own page.'
                : `Please keep this e-mail: it is the receipt for ${isMany ? 'all' : 'both'} payments. You can also print it from your own page.`,
              heading('The deposit'),
              factTable(depositFacts(record, record.paidAt ?? record.begunAt, w)),
              ...balance.flatMap((payment, index) => [
                heading(balanceHeading(payment, index)),
                factTable(paymentFacts(payment, w)),
              ]),
              heading(isMany ? 'All together' : 'Both together'),
              factTable(totalFacts(record, balance)),
              surplusCents > 0 &&
                `${formatCents(surplusCents)} of this is more than was left to pay. It is yours: the retreat office will send it back to you.`,
              pageButton(record, w, 'Your own page', 'payments'),
            ],
          };
        },
      };
    },
  },
} satisfies LetterKinds<RegistrationLetter>;

export interface Payment {
  by: 'card' | WayBesideCard;
  /** US cents: what came, and without the card fee. */
  cents: number;
  beforeFeeCents: number;
  paidAt: Date;
  card?: PaidCard | undefined;
  /** The payment's id at Stripe, the number of the check, or the reference of the transfer. */
  reference?: string | undefined;
  part?: PartOfPlan | undefined;
}

/** In their order; none while it is unpaid, and where all of it was waived. */
function paymentsOf(record: RegistrationRecord): readonly Payment[] {
  const installments = installmentsOf(record);
  const all = [
    ...receivedFor(record).balance.map((one) => cameBeside(one, one.ofCents)),
    ...paidBalances(record).map((paid) => paidByCard(paid, installments)),
  ];
  return all.toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime());
}

export function paidByCard(
  { id: reference, number, cents, beforeFeeCents, paidAt, paidWith: card }: PaidBalance,
  installments: readonly Installment[],
): Payment {
  const { part } = installments.find((one) => one.number === number) ?? {};
  return { by: 'card', cents, beforeFeeCents, paidAt, reference, card, part };
}
type PaidBalance = ReturnType<typeof paidBalances>[number];

/** A check or a transfer that came, or a part of it. */
export function cameBeside({ way: by, on: paidAt, number }: Omit<ReceivedPart, 'ofCents'>, cents: number) {
  return { by, cents, beforeFeeCents: cents, paidAt, reference: number };
}

function balanceHeading({ part }: Payment, index: number): string {
  if (part) return `The balance, ${nameOfPart(part)}`;
  return index === 0 ? 'The balance' : 'The rest of the balance';
}

/** Another amount than the edition's deposit is not split into tuition and fee: it was composed otherwise. */
function depositFacts(record: RegistrationRecord, paidAt: Date, w: Writing): FactRow[] {
  const { retreatPackage, prices } = w.edition.facts;
  const { depositCents: cents, depositCard, depositPayment, registrant, handedOver } = record;
  const paidOn = { label: 'Paid on', value: w.day(paidAt) };
  if (handedOver)
    return [
      { label: 'Paid by', value: 'the person who had the place before you' },
      paidOn,
      { label: 'Charged', value: inDollars(cents), strong: true },
    ];
  const { depositCents, depositBeforeFeeCents } = prices;
  const way = depositWay(record);
  const words = way === 'scholarship' ? 'Covered by your scholarship' : way && paidWords(way);
  return [
    { label: 'For', value: retreatPackage.selection },
    { label: 'Name', value: isolate(safeName(fullName(registrant))) },
    paidOn,
    ...(cents === depositCents ? withFee('Tuition', depositCents, depositBeforeFeeCents, w) : []),
    { label: words ?? 'Charged', value: inDollars(cents), strong: true },
    { label: 'Card', value: depositCard && nameCard(depositCard) },
    ...(way ? [] : statementRows(w)),
    { label: 'Reference', value: record.depositDueCents === undefined && depositPayment?.id },
  ];
}

const paidWords = (by: WayBesideCard | 'card'): string => `Paid ${ownPageWords.payments.by[by]}`;

export function paymentFacts(payment: Payment, w: Writing): FactRow[] {
  const { by, cents, beforeFeeCents, paidAt, card, reference } = payment;
  if (by !== 'card')
    return [
      { label: 'Received on', value: w.day(paidAt) },
      { label: paidWords(by), value: inDollars(cents), strong: true },
      { label: by === 'check' ? 'Number' : 'Reference', value: reference },
    ];
  return [
    { label: 'Paid on', value: w.day(paidAt) },
    ...withFee('Tuition', cents, beforeFeeCents, w),
    { label: 'Charged', value: inDollars(cents), strong: true },
    { label: 'Card', value: card && nameCard(card) },
    ...statementRows(w),
    { label: 'Reference', value: reference },
  ];
}

function totalFacts({ decisions, depositCents }: RegistrationRecord, balance: readonly Payment[]): FactRow[] {
  const reduced = reductionOf(decisions);
  return [
    ...(reduced ? [{ label: REDUCTIONS[reduced.as], value: formatCents(reduced.cents) }] : []),
    { label: 'Paid in all', value: inDollars(depositCents + sumOfCents(balance)), strong: true },
  ];
}
