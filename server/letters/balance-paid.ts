import type { MailOf } from '#server/mail/job.ts';
import type { PaidPart } from '#server/mail/job-facts.ts';
import { installmentsOf, paidBalances, surplusLeft } from '#server/registration/balance.ts';
import { reductionOf } from '#server/registration/decisions.ts';
import { type ReceivedPart, receivedFor } from '#server/registration/deposit.ts';
import { sumOfCents } from '#server/registration/ledger.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { nameOfPart, REDUCTIONS } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import {
  depositedOf,
  hoursAfter,
  placeOfPart,
  type SomeLetters,
  sampleFacts,
  samplePaymentId,
  sumsByCard,
} from './letter-kind.ts';
import { type FactRow, factTable, heading } from './render/letter.ts';
import { fullName, isolate, safeName } from './render/names.ts';
import { dayOf, daysOf, inDollars, ownPageButton, statementRows, withFee } from './render/parts.ts';

export const balancePaid = {
  /** Once it is paid, by card, check or transfer. */
  'balance-paid': {
    name: 'Receipt for the balance',
    subject: ({ facts }) => `Paid in full: your receipt for ${facts.title}`,
    factsAt(record, now, { one }) {
      if (stateOf(record, now) !== 'settled') return undefined;
      const { paidAt, depositCard: card, depositDueCents, handedOver } = record;
      const reference = depositDueCents === undefined ? record.depositPayment?.id : undefined;
      const { amountCents: cents, by } = depositedOf(record);
      const balance = paidBalanceOf(record);
      const last = balance.at(-1);
      if (!last || !paidAt || (handedOver && new Date(last.paidAt) < handedOver.at)) return undefined;
      const paidBy = handedOver ? { isEarlier: true as const } : { card, reference };
      return {
        deposit: { cents, paidAt: paidAt.toISOString(), by, ...paidBy },
        balance,
        reduced: reductionOf(record.decisions),
        surplusCents: surplusLeft(record) || undefined,
        ofPlan: one.part && true,
      };
    },
    says: (letter, edition, context) => ({
      preheader: 'Everything has arrived, and nothing is left to pay.',
      title: 'Everything is paid. Thank you.',
      blocks: [
        `${letter.ofPlan ? 'Your payment plan is complete: all of its parts have arrived.' : 'The balance has arrived.'} Your place in ${edition.facts.title}, ${daysOf(edition)}, is now paid in full, and nothing is left to pay.`,
        letter.deposit.isEarlier
          ? 'Please keep this e-mail: it is your receipt for the balance. You can also print it from your own page.'
          : `Please keep this e-mail: it is the receipt for ${letter.balance.length > 1 ? 'all' : 'both'} payments. You can also print it from your own page.`,
        heading('The deposit'),
        factTable(depositFacts(letter, edition)),
        ...letter.balance.flatMap((part, index) => [
          heading(balanceHeading(part, index)),
          factTable(balanceFacts(part, edition)),
        ]),
        heading(letter.balance.length > 1 ? 'All together' : 'Both together'),
        factTable(totalFacts(letter)),
        letter.surplusCents !== undefined &&
          `${formatCents(letter.surplusCents)} of this is more than was left to pay. It is yours: the retreat office will send it back to you.`,
        ownPageButton(letter, edition, context),
      ],
    }),
    samples(edition) {
      const { sums, part, card, paidAt, depositPaidAt } = sampleFacts(edition);
      const { depositCents: cents } = edition.facts.prices;
      const byCard = { by: 'card', ...sums, paidAt, card, reference: samplePaymentId(2) } as const;
      const deposit = { cents, paidAt: depositPaidAt };
      const receipt = { deposit: { ...deposit, card, reference: samplePaymentId(1) }, balance: [byCard] };
      const check = { by: 'check', ...sums, cents: sums.beforeFeeCents, paidAt, reference: '1042' } as const;
      const some = { ...check, cents: 20_000, beforeFeeCents: 20_000, by: 'transfer' } as const;
      return {
        usual: receipt,
        'by-check': { ...receipt, deposit, balance: [check] },
        'in-two-ways': { ...receipt, balance: [some, { ...byCard, ...part }] },
        'by-card-and-check': { ...receipt, balance: [byCard, check], surplusCents: check.cents },
        'with-a-scholarship': { ...receipt, reduced: part.reduced, balance: [{ ...byCard, ...part }] },
        'of-a-plan': { ...receipt, balance: partsPaid(edition), ofPlan: true },
        'for-a-place-from-somebody-else': { ...receipt, deposit: { ...deposit, isEarlier: true } },
      };
    },
  },
} satisfies SomeLetters;

type Receipt = MailOf<'balance-paid'>;

/** The payments of the balance, in their order; none while it is unpaid, and where all of it was waived. */
function paidBalanceOf(record: RegistrationRecord): readonly PaidPart[] {
  const parts = receivedFor(record).balance.map(partReceived);
  for (const paid of paidBalances(record)) parts.push(paidByCard(record, paid));
  return parts.toSorted((one, other) => Date.parse(one.paidAt) - Date.parse(other.paidAt));
}

/** A payment by card, with the part of her plan that it paid. */
export function paidByCard(
  record: RegistrationRecord,
  { id: reference, number, cents, beforeFeeCents, paidAt, paidWith: card }: PaidBalanceOfHers,
): PaidPart {
  const paid = installmentsOf(record).find((one) => one.number === number);
  return {
    by: 'card',
    cents,
    beforeFeeCents,
    paidAt: paidAt.toISOString(),
    reference,
    card,
    part: paid && placeOfPart(paid),
  };
}
type PaidBalanceOfHers = ReturnType<typeof paidBalances>[number];

function balanceHeading({ part }: PaidPart, index: number): string {
  if (part) return `The balance, ${nameOfPart(part)}`;
  return index === 0 ? 'The balance' : 'The rest of the balance';
}

/** A check or a transfer that came, or a part of it. */
export function partReceived({ way: by, ofCents: cents, on, number }: ReceivedPart): PaidPart {
  return { by, cents, beforeFeeCents: cents, paidAt: on.toISOString(), reference: number };
}

/**
 * The lines of the deposit. Another amount than the edition's deposit is not split into tuition and fee,
 * because it was composed differently.
 */
function depositFacts(letter: Receipt, edition: Edition): FactRow[] {
  const { facts } = edition;
  const { deposit } = letter;
  const { depositCents, depositBeforeFeeCents } = facts.prices;
  const name = isolate(safeName(fullName(letter)));
  if (deposit.isEarlier)
    return [
      { label: 'Paid by', value: 'the person who had the place before you' },
      { label: 'Paid on', value: dayOf(deposit.paidAt, edition) },
      { label: 'Charged', value: inDollars(deposit.cents), strong: true },
    ];
  return [
    { label: 'For', value: facts.retreatPackage.selection },
    { label: 'Name', value: name },
    { label: 'Paid on', value: dayOf(deposit.paidAt, edition) },
    ...(deposit.cents === depositCents
      ? withFee('Tuition', depositCents, depositBeforeFeeCents, edition)
      : []),
    { label: depositWay(deposit.by), value: inDollars(deposit.cents), strong: true },
    { label: 'Card', value: deposit.card && nameCard(deposit.card) },
    ...(deposit.by ? [] : statementRows(edition)),
    { label: 'Reference', value: deposit.reference },
  ];
}

function depositWay(by: Receipt['deposit']['by']): string {
  if (!by) return 'Charged';
  return by === 'scholarship' ? 'Covered by your scholarship' : `Paid ${ownPageWords.payments.by[by]}`;
}

export function balanceFacts(part: PaidPart, edition: Edition): FactRow[] {
  const { by, cents, beforeFeeCents, paidAt, card, reference } = part;
  if (by !== 'card') return receivedFacts(part, edition);
  return [
    { label: 'Paid on', value: dayOf(paidAt, edition) },
    ...withFee('Tuition', cents, beforeFeeCents, edition),
    { label: 'Charged', value: inDollars(cents), strong: true },
    { label: 'Card', value: card && nameCard(card) },
    ...statementRows(edition),
    { label: 'Reference', value: reference },
  ];
}

export function receivedFacts({ by, cents, paidAt, reference }: PaidPart, edition: Edition): FactRow[] {
  return [
    { label: 'Received on', value: dayOf(paidAt, edition) },
    { label: `Paid ${ownPageWords.payments.by[by]}`, value: inDollars(cents), strong: true },
    { label: by === 'check' ? 'Number' : 'Reference', value: reference },
  ];
}

function totalFacts({ deposit, balance, reduced }: Receipt): FactRow[] {
  return [
    ...(reduced ? [{ label: REDUCTIONS[reduced.as], value: formatCents(reduced.cents) }] : []),
    { label: 'Paid in all', value: inDollars(deposit.cents + sumOfCents(balance)), strong: true },
  ];
}

/** The three parts of a plan, two weeks apart. */
function partsPaid(edition: Edition): PaidPart[] {
  const { card, earlier, ofPlan } = sampleFacts(edition);
  const { prices } = edition.facts;
  return [sumsByCard(25_000, prices), ofPlan, sumsByCard(20_000, prices)].map((sums, index) => ({
    by: 'card',
    ...sums,
    card,
    reference: samplePaymentId(index + 2),
    paidAt: hoursAfter(earlier, index * 336),
    part: { number: index + 1, position: index + 1, count: 3 },
  }));
}
