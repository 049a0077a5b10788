import { consentsOfOthers, floodOfConsents } from './consent-attacks.ts';
import { slowReading } from './flood-attacks.ts';
import { heldConnections, unsignedBodies } from './holding-attacks.ts';
import { type KnownAttack, openOrdinarySite } from './ordinary-site.ts';
import { paymentsOfOthers, theSamePerson, wrongClocks } from './payment-attacks.ts';
import { messagesForNames, usedUpLimits, visitorsWithPorts } from './registration-attacks.ts';

/**
 * All known attacks. The one that is judged by the most memory that the app has taken comes first, the one that lets
 * days pass at Stripe last.
 */
export const KNOWN_ATTACKS: readonly KnownAttack[] = [
  unsignedBodies,
  slowReading,
  visitorsWithPorts,
  usedUpLimits,
  messagesForNames,
  paymentsOfOthers,
  theSamePerson,
  consentsOfOthers,
  floodOfConsents,
  heldConnections,
  wrongClocks,
];

/** Whether the site withstood an attack, and what came of it. */
export interface Verdict {
  held: boolean;
  told: string;
}

/** The verdict on a known attack. */
export type KnownResult = Verdict & Pick<KnownAttack, 'name'>;

/** Tries each known attack on a site with default settings, which runs an existing build. */
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
 * Tries an attack. If it worked while the app counted in its own memory, because Redis was too slow on a busy
 * machine, the result means nothing, and the attack is retried, twice at most.
 */
export async function verdictOn(
  attempt: () => Promise<string>,
  countsInMemory: () => Promise<number>,
): Promise<Verdict> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    const before = await countsInMemory();
    try {
      return { held: true, told: await attempt() };
    } catch (error) {
      const [told = ''] = String(error instanceof Error ? error.message : error).split('\n');
      if ((await countsInMemory()) === before || triesLeft === 0) return { held: false, told };
    }
  }
}
