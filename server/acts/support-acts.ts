import type { Restored } from '#server/payments/mirror.ts';
import { type ActContext, type Asked, carryOut, impossible, recordedFor, type Told } from './act.ts';

const WORDS: Readonly<Record<Restored['added'][number]['what'], string>> = {
  registration: 'registered and paid',
  cancel: 'cancelled',
  waived: 'a part was waived',
  check: 'pays by check',
  received: 'a check or a transfer came',
  postponed: 'the charge was postponed',
  plan: 'a payment plan was made',
  planAgreed: 'she agreed to her payment plan',
  epoch: 'her links were renewed',
  handed: 'the place came to her from somebody else',
  forgotten: 'her data were removed',
};

/**
 * Confirms a register that was restored from a copy: from then on letters, charges and refunds go out again. A dry run
 * lists what Stripe has added to it.
 * @throws {Refusal} when nothing waits for that, or the worker has not read Stripe yet
 */
export async function confirmRestored(context: ActContext, asked: Asked): Promise<Told> {
  const payments = await context.openPayments();
  const restored = await payments.readRestored();
  if (!restored) throw impossible('The register was not restored: nothing waits for this.');
  if (!restored.isReconciled)
    throw impossible('The worker has not read Stripe yet since the register was restored.');
  const { copiedAt, added } = restored;
  const rows = added.map(({ deposit, name, what, isTakenBack }) => {
    const words = `${WORDS[what]}${isTakenBack ? ', taken back' : ''}`;
    return [deposit, [name, words].filter(Boolean).join(': ')];
  });
  const says = [
    'The register was restored from a copy, or holds less than it did.',
    copiedAt ? `The newest copy that it knows of was made at ${copiedAt.toISOString()}.` : '',
    rows.length > 0 ? 'Since then Stripe knows of:' : 'Stripe knows of nothing else.',
    ...(rows.length > 0 ? [{ facts: rows }] : []),
    'What Stripe was not told is lost, such as a corrected address, an announcement, or a place that was offered.',
  ];
  return carryOut(asked, { says, restsOn: [] }, async () => {
    await payments.confirmRestored(asked.by, await context.now());
    return [recordedFor(asked.by), 'Letters, charges and refunds go out again within two minutes.'];
  });
}
