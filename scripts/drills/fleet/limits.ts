import { RequestFailedError } from '#client/registration/payment/http-client.ts';
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
 * through.
 */
export async function rush(
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
  if (visits.length !== PER_ADDRESS)
    problems.push(`${visits.length} of one address got through instead of ${PER_ADDRESS}`);
  return { visits, refused: failures.filter(isLimit).length, problems };
}
