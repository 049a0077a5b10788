import { consentsOfOthers, floodOfConsents } from './consent-attacks.ts';
import { slowReading } from './flood-attacks.ts';
import { type KnownAttack, openOrdinarySite } from './ordinary-site.ts';
import { paymentsOfOthers, theSamePerson, wrongClocks } from './payment-attacks.ts';
import { messagesForNames, usedUpLimits, visitorsWithPorts } from './registration-attacks.ts';

/** All there are; the one that lets days pass at Stripe comes last. */
export const KNOWN_ATTACKS: readonly KnownAttack[] = [
  slowReading,
  visitorsWithPorts,
  usedUpLimits,
  messagesForNames,
  paymentsOfOthers,
  theSamePerson,
  consentsOfOthers,
  floodOfConsents,
  wrongClocks,
];

/** Whether the site withstood an attack, and what came of it. */
export interface Verdict {
  held: boolean;
  told: string;
}

/** The verdict on a known attack. */
export type KnownResult = Verdict & Pick<KnownAttack, 'name'>;

/** Tries each on a site as it is by default, of a build that is there. */
export async function tryKnownAttacks(folder: string): Promise<KnownResult[]> {
  const site = await openOrdinarySite(folder);
  try {
    const results: KnownResult[] = [];
    for (const { name, run } of KNOWN_ATTACKS) {
      results.push({ name, ...(await verdictOn(() => run(site), site.countsInMemory)) });
    }
    return results;
  } finally {
    await site.close();
  }
}

/**
 * Tries an attack. One that worked while the app counted by itself, because Redis was too slow for it on a busy machine,
 * says nothing, and is tried again, twice at most.
 */
export async function verdictOn(
  attempt: () => Promise<string>,
  countsInMemory: () => number,
): Promise<Verdict> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    const before = countsInMemory();
    try {
      return { held: true, told: await attempt() };
    } catch (error) {
      const [told = ''] = String(error instanceof Error ? error.message : error).split('\n');
      if (countsInMemory() === before || triesLeft === 0) return { held: false, told };
    }
  }
}
