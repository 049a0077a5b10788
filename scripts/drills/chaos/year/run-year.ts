import type { DrillRun } from '#scripts/drills/drill.ts';
import { createRandom } from '../plan-faults.ts';
import { type Lived, live } from './live.ts';
import { drawPeople } from './lives.ts';
import { openYear } from './stage.ts';
import { Storm } from './storm.ts';

/** How large a run is; its seed draws people and what fails at Stripe. */
interface YearOptions extends DrillRun {
  registrations: number;
}

/** Lets people live through the year while everything fails, and judges what came of it. */
export async function runYear({ registrations, seed, folder, say }: YearOptions): Promise<Lived> {
  const random = createRandom(seed);
  const people = drawPeople(random, registrations);
  say('Building and starting the product …');
  const stage = await openYear(folder, random);
  try {
    const storm = new Storm(stage);
    say(`${people.length} registrations through the year …`);
    return await live(people, stage, storm, say);
  } finally {
    await stage.close();
  }
}
