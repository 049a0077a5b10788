import { isRefundOrdered } from '#server/payments/cancel-plan.ts';
import { canDecide } from '#server/payments/decide.ts';
import { type Decision, type DecisionKind, formatDecision } from '#server/payments/decisions.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { stateOf } from '#server/payments/registration-state.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { findRegistrationOf, type MailJobs, type Register } from './mail-jobs.ts';
import { printable, table } from './printable.ts';
import { Refusal, wrongUsage } from './refusal.ts';

/** Who acts, and whether she only wants to see what would come of it. */
export interface Asked {
  by: string;
  'dry-run': boolean;
}

/** https://docs.stripe.com/api/metadata */
const METADATA_LENGTH = 500;

interface Outcome<Kind extends DecisionKind> {
  decision: Decision<Kind>;
  /** What comes of it, in sentences and sums. */
  says: readonly string[];
}

/**
 * Records a decision, or only tells what would come of it.
 * @throws {Refusal} when the state of the registration does not allow it
 */
export async function decide<Kind extends DecisionKind>(
  jobs: MailJobs,
  id: string,
  kind: Kind,
  asked: Asked,
  work: (record: RegistrationRecord, act: { at: Date; by: string }) => Outcome<Kind> | Promise<Outcome<Kind>>,
): Promise<string> {
  const record = await findRegistrationOf(jobs, id);
  const at = await jobs.now();
  if (!canDecide(record, kind, at)) throw notAllowed(record, kind, at);
  const { decision, says } = await work(record, { at, by: asked.by });
  if (formatDecision(decision).length > METADATA_LENGTH)
    throw wrongUsage('This is more than Stripe keeps with a registration: use fewer words');
  return carryOut(jobs, record, asked, says, async (register) => {
    await register.decide(record, kind, decision);
    return [];
  });
}

export function notAllowed(record: RegistrationRecord, kind: DecisionKind, now: Date): Refusal {
  return new Refusal('wrongState', `${record.id} is ${stateOf(record, now)}: ${whenDecided(record, kind)}.`);
}

function whenDecided(record: RegistrationRecord, kind: DecisionKind): string {
  switch (kind) {
    case 'cancel':
      return 'only who has paid the deposit and has not cancelled can cancel';
    case 'charge':
      return 'a card is charged once the balance is due, while something is left to pay';
    case 'refund':
      return isRefundOrdered(record)
        ? 'the refund that was decided before is not carried out yet'
        : 'an exception is decided once the deposit is paid, and not while a cancelling waits to be worked off or undone';
    case 'checkSent':
      return 'no check is owed to her';
    case 'disputeOver':
      return 'only what was paid can be disputed';
    default:
      return 'this is decided after the deposit is paid, while something is left to pay';
  }
}

/** Does it, unless it is only tried, and tells what comes of it; `act` tells more once it is done. */
export async function carryOut(
  jobs: MailJobs,
  { id, registrant }: RegistrationRecord,
  asked: Asked,
  says: readonly string[],
  act: (register: Register) => Promise<readonly string[]>,
): Promise<string> {
  const name = printable(`${registrant.firstName} ${registrant.lastName}`);
  const head = name === '' ? id : `${id}, ${name}`;
  const tell = (...feet: readonly string[]) => [head, ...says.filter(Boolean), ...feet].join('\n');
  if (asked['dry-run']) return tell('Only tried: nothing was changed.');
  const done = await act(await jobs.openRecord());
  const recorded = [...done, `Recorded for ${printable(asked.by)}.`];
  try {
    await jobs.askForWalk();
    return tell(...recorded);
  } catch {
    return tell(
      ...recorded,
      'The worker could not be asked to walk: the list of registrations shows it later.',
    );
  }
}

/** The lines of a sum, with their total. */
export function sumOf(lines: readonly SumLine[]): string {
  const total = lines.reduce((sum, { cents }) => sum + cents, 0);
  const all: SumLine[] = [...lines, { words: 'in all', cents: total }];
  return table(all.map((line) => ['', formatCents(line.cents), lineWords(line)]));
}

function lineWords({ words, keptCents, why }: SumLine): string {
  const what = keptCents === undefined ? words : `${words} of ${formatCents(keptCents)}`;
  return why === undefined ? what : `${what}: ${why}`;
}
