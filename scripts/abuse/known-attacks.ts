import { slowReading } from './flood-attacks.ts';
import type { KnownAttack } from './known-attack.ts';
import { usedUpLimits, visitorsWithPorts } from './limit-attacks.ts';
import { messagesForNames } from './name-attacks.ts';
import { openOrdinarySite } from './ordinary-site.ts';
import { paymentsOfOthers, theSamePerson, wrongClocks } from './payment-attacks.ts';

/** All there are; the one that lets days pass at Stripe comes last. */
export const KNOWN_ATTACKS: readonly KnownAttack[] = [
  slowReading,
  visitorsWithPorts,
  usedUpLimits,
  messagesForNames,
  paymentsOfOthers,
  theSamePerson,
  wrongClocks,
];

/** On a machine that is busy with something else an attack may seem to work; one that works does so every time. */
const TRIES = 3;

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
      results.push({ name, ...(await verdictOn(() => run(site))) });
    }
    return results;
  } finally {
    await site.close();
  }
}

/** Tries an attack, again while it works. */
export async function verdictOn(attempt: () => Promise<string>): Promise<Verdict> {
  for (let tries = 1; ; tries += 1) {
    try {
      return { held: true, told: await attempt() };
    } catch (error) {
      const [told = ''] = String(error instanceof Error ? error.message : error).split('\n');
      if (tries === TRIES) return { held: false, told };
    }
  }
}
