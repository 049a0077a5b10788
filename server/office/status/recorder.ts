import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Logger } from '#server/service/logger.ts';
import { growthOf } from './counters.ts';
import { createHistory, type History } from './history.ts';
import { type Finding, judge } from './judge.ts';
import { createLooker, type Look, type LookDependencies } from './look.ts';

const EVERY_MS = 15_000;
/**
 * How long the page waits for a fresh look. With the 100 ms for which the session check waits for Redis, and
 * the page itself, 200 in all.
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

export interface StatusRecorder {
  /**
   * The current state or, when a look takes longer than 50 ms, that of the last look, within 15 seconds.
   * Before the first look has ended, it takes as long as a look: a second while Redis hangs.
   */
  tell(): Promise<{ status: Status; isFresh: boolean }>;
  readonly history: History;
  /** Stops looking. */
  close(): void;
}

interface RecorderDependencies extends LookDependencies {
  metrics: Registry;
  logger: Logger;
  /** The machine's time, unless a test moves it: never the site's date. */
  time?: (() => Date) | undefined;
  everyMs?: number;
  patienceMs?: number;
}

/**
 * Looks at the product every 15 seconds, and keeps in memory since when each part has had its rating, and the
 * numbers of a day.
 */
export function startStatusRecorder(dependencies: RecorderDependencies): StatusRecorder {
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
  let running: Promise<void> | undefined;
  const lookOnce = (): Promise<void> => {
    running ??= record()
      .catch((error: unknown) =>
        logger.error({ err: error }, 'The state of the product could not be looked at'),
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const timer = setInterval(lookOnce, everyMs).unref();
  return {
    history,
    async tell() {
      const fresh = lookOnce().then(() => true);
      const isFresh = await (last ? Promise.race([fresh, delay(patienceMs, false, { ref: false })]) : fresh);
      if (!last) throw new Error('It is not known how things stand');
      return { status: last, isFresh };
    },
    close() {
      clearInterval(timer);
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
 * Returns a function that adds since when a part has had its rating. While a part is unknown, its last known
 * rating is remembered.
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
