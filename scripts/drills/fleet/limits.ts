import { RequestFailedError } from '#client/registration/payment/http-client.ts';
import { countsInMemory } from '#scripts/drills/app-metrics.ts';
import type { Visitor } from '#scripts/drills/chaos/visitors.ts';
import { registerOnce, type TimedVisit } from './crowd.ts';
import { type Fleet, PER_ADDRESS } from './stage.ts';

/** What happened to many visitors who came at once from one IP address. */
export interface Limited {
  visits: readonly TimedVisit[];
  refused: number;
  problems: readonly string[];
}

/**
 * Lets all visitors register at once from one IP address: as many get through as a single app would let
 * through. If an app counted in its own memory meanwhile, because Redis was too slow on a busy machine, their number
 * means nothing, and they come again from the next address.
 */
export async function rush(
  visitors: readonly Visitor[],
  addresses: readonly string[],
  fleet: Fleet,
): Promise<Limited> {
  const visits: TimedVisit[] = [];
  const problems: string[] = [];
  let refused = 0;
  for (const [place, address] of addresses.entries()) {
    const before = await countsInMemory(fleet);
    const came = await comeAtOnce(visitors, address, fleet);
    visits.push(...came.visits);
    problems.push(...came.problems);
    refused = came.refused;
    if (came.visits.length === PER_ADDRESS) break;
    if (place < addresses.length - 1 && (await countsInMemory(fleet)) > before) continue;
    problems.push(`${came.visits.length} of one address got through instead of ${PER_ADDRESS}`);
    break;
  }
  return { visits, refused, problems };
}

async function comeAtOnce(
  visitors: readonly Visitor[],
  address: string,
  { siteUrl, stripe }: Fleet,
): Promise<Limited> {
  const outcomes = await Promise.allSettled(
    visitors.map((visitor) => registerOnce({ ...visitor, pays: false }, address, siteUrl, stripe)),
  );
  const visits = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const isLimit = (reason: unknown) => reason instanceof RequestFailedError && reason.status === 429;
  const problems = failures.filter((reason) => !isLimit(reason)).map(String);
  return { visits, refused: failures.filter(isLimit).length, problems };
}
