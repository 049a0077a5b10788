import { setTimeout as pause } from 'node:timers/promises';
import { RequestFailedError } from '#client/registration/payment/http-client.ts';
import { postUntilAnswered } from '#client/registration/payment/post-until-answered.ts';
import { countsInMemory } from '#scripts/drills/app-metrics.ts';
import { thoughtOf } from '#scripts/drills/chaos/run-chaos.ts';
import type { Office } from '#scripts/drills/stage/office.ts';
import { type Registrant, register, type Send } from '#scripts/drills/stage/registering.ts';
import type { Person } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { type Fleet, PER_ADDRESS } from './stage.ts';

/** The page's own timeout for a request, and how long a visitor waits for a page. */
const TIMEOUT_MS = 60_000;
const OFFICE_EVERY_MS = 500;

/** The intervals between two registrations and between two page views, in milliseconds. */
export interface Pace {
  registrationMs: number;
  pageMs: number;
}

/** When a request was sent, in milliseconds since the epoch, and how long the answer took. */
export interface Timed {
  atMs: number;
  latencyMs: number;
}

/** What the visitors of a run experienced. */
export interface Met {
  registrants: readonly Registrant[];
  /** What failed as a visitor sees it: a page, or a press of the button. */
  problems: readonly string[];
}

/** The IP address that the outer proxy reports: each visitor has her own. */
export function addressOf(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}

/** One press of each button: the page's own retries do not count as presses. */
const pressOnce =
  (siteUrl: string, address: string): Send =>
  async (path, json, headers = {}) => {
    const atMs = Date.now();
    const answer = await postUntilAnswered(`${siteUrl}${path}`, {
      headers: { ...headers, 'X-Forwarded-For': address },
      ...{ json, timeoutMs: TIMEOUT_MS },
    });
    return { answer, latencyMs: Date.now() - atMs, tries: 1 };
  };

/**
 * Visitors look at the page and register, each once, at a constant rate, whatever happens to the servers. The answer ends
 * this, and resolves when all visitors are answered.
 */
export function startCrowd(fleet: Fleet, visitors: readonly Person[], { registrationMs, pageMs }: Pace) {
  const { siteUrl } = fleet;
  const random = createRandom(visitors.length);
  const registrants: Registrant[] = [];
  const pages: Timed[] = [];
  const problems: string[] = [];
  const over = new AbortController();
  const steadily = async (everyMs: number, come: (number: number) => Promise<void>): Promise<void> => {
    const coming: Promise<void>[] = [];
    for (let number = 0; !over.signal.aborted; number += 1) {
      coming.push(come(number).catch((error) => void problems.push(String(error))));
      await pause(everyMs, undefined, { signal: over.signal }).catch(() => {});
    }
    await Promise.all(coming);
  };
  const looking = steadily(pageMs, async () => {
    const atMs = Date.now();
    const answer = await fetch(siteUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await answer.arrayBuffer();
    pages.push({ atMs, latencyMs: Date.now() - atMs });
    if (answer.status !== 200) problems.push(`The page was answered with ${answer.status}`);
  });
  const registering = steadily(registrationMs, async (number) => {
    const visitor = visitors[number];
    const how = { thinksMs: thoughtOf(random), send: pressOnce(siteUrl, addressOf(number)) };
    if (visitor) registrants.push(await register(visitor, fleet, how));
  });
  return async (): Promise<Met & { pages: readonly Timed[] }> => {
    over.abort();
    await Promise.all([looking, registering]);
    return { registrants, pages, problems };
  };
}

/**
 * Lets all visitors register at once from one IP address: as many get through as a single app would let through. If an app
 * counted in its own memory meanwhile, because Redis was too slow on a busy machine, their number means nothing, and they
 * come again from the next address.
 */
export async function rush(
  visitors: readonly Person[],
  addresses: readonly string[],
  fleet: Fleet,
): Promise<Met & { refused: number }> {
  const registrants: Registrant[] = [];
  const problems: string[] = [];
  const isLimit = (reason: unknown) => reason instanceof RequestFailedError && reason.status === 429;
  for (const [place, address] of addresses.entries()) {
    const before = await countsInMemory(fleet);
    const send = pressOnce(fleet.siteUrl, address);
    const came = await Promise.allSettled(visitors.map((visitor) => register(visitor, fleet, { send })));
    const passed = came.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failures = came.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    registrants.push(...passed);
    problems.push(...failures.filter((reason) => !isLimit(reason)).map(String));
    const refused = failures.filter(isLimit).length;
    if (passed.length === PER_ADDRESS) return { registrants, problems, refused };
    if (place < addresses.length - 1 && (await countsInMemory(fleet)) > before) continue;
    problems.push(`${passed.length} of one address got through instead of ${PER_ADDRESS}`);
    return { registrants, problems, refused };
  }
  throw new Error('Nobody came');
}

/** A page of the office that failed; status 0 means no answer. */
export interface PageFailure {
  atMs: number;
  status: number;
}

/** Somebody of the office opens the list twice a second in one session. The answer ends this. */
export function startStaff(office: Office) {
  const failures: PageFailure[] = [];
  const over = new AbortController();
  let pages = 0;
  const looking = (async () => {
    while (!over.signal.aborted) {
      const atMs = Date.now();
      const { status } = await office.open('').catch(() => ({ status: 0 }));
      if (status === 200) pages += 1;
      else failures.push({ atMs, status });
      await pause(OFFICE_EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  return async (): Promise<{ pages: number; failures: readonly PageFailure[] }> => {
    over.abort();
    await looking;
    return { pages, failures };
  };
}
