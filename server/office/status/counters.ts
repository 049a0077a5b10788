import type { Registry } from 'prom-client';
import { COUNTS, type Count, type Counts } from './history.ts';

type Labels = Partial<Record<string, string | number>>;

/**
 * The source of a count: the sum of a metric's values; for a histogram, the sum of its `_count` or `_sum`.
 */
interface Source {
  metric: string;
  part?: '_count' | '_sum';
  where?: (labels: Labels) => boolean;
}

const HTTP = 'http_request_duration_seconds';
const STRIPE = 'stripe_call_duration_seconds';

const isPage = ({ route }: Labels): boolean => route === 'page';
const isServerError = ({ status }: Labels): boolean => Number(status) >= 500;
/**
 * Also true when Stripe refuses the key, or asks for fewer requests; other refusals are about one payment.
 */
const isStripeFailure = (labels: Labels): boolean =>
  isServerError(labels) || [401, 403, 429].includes(Number(labels.status));

const sources: Record<Count, readonly Source[]> = {
  requests: [{ metric: HTTP, part: '_count' }],
  requestsFailed: [{ metric: HTTP, part: '_count', where: isServerError }],
  pageAnswers: [{ metric: HTTP, part: '_count', where: isPage }],
  pageSeconds: [{ metric: HTTP, part: '_sum', where: isPage }],
  stripeAnswers: [{ metric: STRIPE, part: '_count' }],
  stripeSeconds: [{ metric: STRIPE, part: '_sum' }],
  stripeFailed: [
    { metric: STRIPE, part: '_count', where: isStripeFailure },
    { metric: 'stripe_unreachable_total' },
  ],
  depositsBegun: [{ metric: 'deposits_total', where: ({ event }) => event === 'begun' }],
  depositsPaid: [{ metric: 'deposits_total', where: ({ event }) => event === 'paid' }],
  registrationsRefused: [{ metric: 'registrations_refused_total' }],
  signInsRefused: [
    { metric: 'ops_requests_throttled_total' },
    { metric: 'office_sign_ins_total', where: ({ outcome }) => outcome === 'throttled' },
  ],
};

/** Each call returns by how much this process's counters have grown since the call before. */
export function growthOf(registry: Registry): () => Promise<Counts> {
  let before: Counts = new Map();
  return async () => {
    const totals = await readTotals(registry);
    const grown = COUNTS.map(
      (count) => [count, (totals.get(count) ?? 0) - (before.get(count) ?? 0)] as const,
    );
    before = totals;
    return new Map(grown);
  };
}

async function readTotals(registry: Registry): Promise<Counts> {
  const totals = new Map<Count, number>();
  for (const count of COUNTS)
    for (const source of sources[count])
      totals.set(count, (totals.get(count) ?? 0) + (await sumOf(registry, source)));
  return totals;
}

async function sumOf(
  registry: Registry,
  { metric: name, part, where = () => true }: Source,
): Promise<number> {
  const metric = await registry.getSingleMetric(name)?.get();
  let sum = 0;
  for (const value of metric?.values ?? []) {
    const isPart = part === undefined || ('metricName' in value && value.metricName === name + part);
    if (isPart && where(value.labels)) sum += value.value;
  }
  return sum;
}
