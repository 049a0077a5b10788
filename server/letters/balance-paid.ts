import type { MailOf } from '#server/mail/job.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { stateOf } from '#server/record/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { SomeLetters } from './letter-kind.ts';
import { type Fact, heading, paragraph } from './render/letter.ts';
import { fullName, isolate, safeName } from './render/names.ts';
import { dayOf, inDollars, ownPageButton } from './render/parts.ts';
import { sampleFacts } from './samples.ts';

/** The receipt of both payments. */
export const balancePaid = {
  /** Once it is paid, by card or check. */
  'balance-paid': {
    name: 'Receipt for the balance',
    subject: ({ facts }) => `Paid in full: your receipt for ${facts.title}`,
    now(record, now) {
      if (stateOf(record, now) !== 'settled') return undefined;
      const { paidAt, depositCents: cents, depositCard: card, decisions } = record;
      const balance = paidBalanceOf(record);
      if (!balance || !paidAt) return undefined;
      const deposit = { cents, paidAt: paidAt.toISOString(), ...(card && { card }) };
      return { deposit, balance, waivedCents: decisions.waived?.cents ?? 0 };
    },
    says(letter, edition, context) {
      const { title, startDate, endDate } = edition.facts;
      return {
        preheader: 'Both payments have arrived, and nothing is left to pay.',
        title: 'Everything is paid. Thank you.',
        blocks: [
          paragraph(
            `The balance has arrived. With it your place in ${title}, ${formatDateRange(startDate, endDate)}, is paid in full, and nothing is left to pay.`,
          ),
          paragraph(
            'Please keep this e-mail: it is the receipt of both payments. Your own page has it to print, too.',
          ),
          heading('The deposit'),
          { kind: 'facts', facts: depositFacts(letter, edition) },
          heading('The balance'),
          { kind: 'facts', facts: balanceFacts(letter, edition) },
          heading('Both together'),
          { kind: 'facts', facts: totalFacts(letter) },
          ownPageButton(letter, edition, context),
        ],
      };
    },
    samples(edition) {
      const { sums, part, card, paidAt, depositPaidAt } = sampleFacts(edition);
      const { depositCents: cents } = edition.facts.prices;
      const byCard = { by: 'card', ...sums, paidAt, card, reference: 'pi_2' } as const;
      const deposit = { cents, paidAt: depositPaidAt };
      const receipt = { deposit: { ...deposit, card }, balance: byCard, waivedCents: 0 };
      const check = { by: 'check', ...sums, cents: sums.beforeFeeCents, paidAt } as const;
      return {
        usual: receipt,
        'by-check': { ...receipt, deposit, balance: check },
        'with-a-part-waived': { ...receipt, waivedCents: 20_000, balance: { ...byCard, ...part } },
      };
    },
  },
} satisfies SomeLetters;

type Receipt = MailOf<'balance-paid'>;

/** How the balance was paid; undefined while it is unpaid, and where all of it was waived. */
function paidBalanceOf({ balance, decisions }: RegistrationRecord): Receipt['balance'] | undefined {
  if (balance?.paidAt) {
    const { id: reference, cents, beforeFeeCents, paidAt, paidWith: card } = balance;
    const paid = { by: 'card', cents, beforeFeeCents, paidAt: paidAt.toISOString(), reference } as const;
    return { ...paid, ...(card && { card }) };
  }
  const { check } = decisions;
  if (!check?.receivedAt) return undefined;
  const { cents, receivedAt } = check;
  return { by: 'check', cents, beforeFeeCents: cents, paidAt: receivedAt.toISOString() };
}

/**
 * The lines of the deposit. Another amount than the edition's deposit is not split into tuition and fee,
 * because it was composed differently.
 */
function depositFacts(letter: Receipt, edition: Edition): Fact[] {
  const { facts } = edition;
  const { deposit, paymentIntentId } = letter;
  const { depositCents, depositBeforeFeeCents } = facts.prices;
  const name = isolate(safeName(fullName(letter)));
  return [
    { label: 'For', value: facts.retreatPackage.selection },
    ...(name ? [{ label: 'Name', value: name }] : []),
    { label: 'Paid on', value: dayOf(deposit.paidAt, edition) },
    ...(deposit.cents === depositCents ? parts(depositCents, depositBeforeFeeCents, edition) : []),
    { label: 'Charged', value: inDollars(deposit.cents), strong: true },
    ...(deposit.card ? [{ label: 'Card', value: nameCard(deposit.card) }] : []),
    { label: 'Reference', value: paymentIntentId },
  ];
}

function balanceFacts({ balance }: Receipt, edition: Edition): Fact[] {
  const { by, cents, beforeFeeCents, paidAt, card, reference } = balance;
  const day = dayOf(paidAt, edition);
  if (by === 'check') {
    return [
      { label: 'Received on', value: day },
      { label: 'Paid by check', value: inDollars(cents), strong: true },
    ];
  }
  return [
    { label: 'Paid on', value: day },
    ...parts(cents, beforeFeeCents, edition),
    { label: 'Charged', value: inDollars(cents), strong: true },
    ...(card ? [{ label: 'Card', value: nameCard(card) }] : []),
    ...(reference ? [{ label: 'Reference', value: reference }] : []),
  ];
}

function parts(cents: number, beforeFeeCents: number, { facts: { prices } }: Edition): Fact[] {
  return [
    { label: 'Tuition', value: formatCents(beforeFeeCents) },
    { label: `Card fee (${prices.cardFee})`, value: formatCents(cents - beforeFeeCents) },
  ];
}

function totalFacts({ deposit, balance, waivedCents }: Receipt): Fact[] {
  return [
    ...(waivedCents > 0 ? [{ label: 'Taken off the tuition', value: formatCents(waivedCents) }] : []),
    { label: 'Paid in all', value: inDollars(deposit.cents + balance.cents), strong: true },
  ];
}
