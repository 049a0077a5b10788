import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { OfficeOptions } from '#server/office/office-dependencies.ts';
import { repeat } from '#server/service/work.ts';
import { COUNTS, type Count, type Counts, createHistory } from './history.tsx';
import { createLooker, type Finding, judge, type Look, type LookDependencies } from './look.ts';

const EVERY_MS = 15_000;
/**
 * How long the page waits for a fresh look. With the 100 ms for which the session check waits for Redis, and the page
 * itself, 200 in all.
 */
const FRESH_TIMEOUT_MS = 50;
const RECENT_MINUTES = 15;

/** The rating of one part, and since when it has been so. */
export interface Standing extends Finding {
  since: Date;
  /** Its rating before was not known, so it may be older. */
  isAtLeast: boolean;
}

/** The state of the product at a look. */
export interface Status {
  look: Look;
  standings: readonly Standing[];
}

export type StatusRecorder = ReturnType<typeof startStatusRecorder>;

interface RecorderDependencies extends LookDependencies, Pick<OfficeOptions, 'metrics' | 'logger' | 'time'> {
  everyMs?: number;
  patienceMs?: number;
}

/**
 * Looks at the product every 15 seconds, and keeps in memory since when each part has had its rating, and the numbers
 * of a day.
 */
export function startStatusRecorder(dependencies: RecorderDependencies) {
  const { metrics, logger, time = () => new Date() } = dependencies;
  const { everyMs = EVERY_MS, patienceMs = FRESH_TIMEOUT_MS } = dependencies;
  const looker = createLooker(dependencies, time);
  const history = createHistory();
  const readGrowth = growthOf(metrics);
  const remember = createMemory();
  let last: Status | undefined;
  const record = async (): Promise<void> => {
    const look = await looker.look();
    history.add(look.at, await readGrowth(), levelsOf(look));
    const findings = judge(look, (count) => history.sum(count, RECENT_MINUTES, look.at));
    last = { look, standings: findings.map((finding) => remember(finding, look.at)) };
  };
  const recordOrTell = () =>
    record().catch((error: unknown) =>
      logger.error({ err: error }, 'The state of the product could not be looked at'),
    );
  const looking = repeat(recordOrTell, everyMs);
  return {
    history,
    /**
     * The current state or, when a look takes longer than 50 ms, that of the last look, within 15 seconds. Before the
     * first look has ended, it takes as long as a look: a second while Redis hangs.
     */
    async tell(): Promise<{ status: Status; isFresh: boolean }> {
      const fresh = looking.now().then(() => true);
      const isFresh = await (last ? Promise.race([fresh, delay(patienceMs, false, { ref: false })]) : fresh);
      if (!last) throw new Error('It is not known how things stand');
      return { status: last, isFresh };
    },
    /** Stops looking. */
    close(): void {
      void looking.close();
      looker.close();
    },
  };
}

function levelsOf({ inRedis, memoryBytes, holdUpSeconds }: Look) {
  const mails = inRedis?.mails;
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = mails?.jobs ?? {};
  return {
    memoryBytes,
    holdUpSeconds,
    ...(mails && {
      mailsWaiting: waiting + active + delayed,
      mailsFailed: failed,
      oldestMailSeconds: mails.oldestSeconds,
    }),
  };
}

/**
 * Returns a function that adds since when a part has had its rating. While a part is unknown, its last known rating is
 * remembered.
 */
function createMemory(): (finding: Finding, at: Date) => Standing {
  const latest = new Map<string, Standing>();
  const lastKnown = new Map<string, Standing>();
  return (finding, at) => {
    const { part, verdict } = finding;
    const before = latest.get(part);
    const same = [before, lastKnown.get(part)].find((one) => one?.verdict === verdict);
    const wasKnown = before !== undefined && before.verdict !== 'unknown';
    const standing = { ...finding, since: same?.since ?? at, isAtLeast: same?.isAtLeast ?? !wasKnown };
    latest.set(part, standing);
    if (verdict !== 'unknown') lastKnown.set(part, standing);
    return standing;
  };
}

type Labels = Partial<Record<string, string | number>>;

/** The source of a count: the sum of a metric's values; for a histogram, the sum of its `_count` or `_sum`. */
interface Source {
  metric: string;
  part?: '_count' | '_sum';
  where?: (labels: Labels) => boolean;
}

const HTTP = 'http_request_duration_seconds';
const STRIPE = 'stripe_call_duration_seconds';

const isPage = ({ route }: Labels): boolean => route === 'page';
const isServerError = ({ status }: Labels): boolean => Number(status) >= 500;
/** Also true when Stripe refuses the key, or asks for fewer requests; other refusals are about one payment. */
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
function growthOf(registry: Registry): () => Promise<Counts> {
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
