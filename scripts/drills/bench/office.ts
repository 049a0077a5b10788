import { setTimeout as delay } from 'node:timers/promises';
import { inScope } from '#server/testing/clean-up.ts';
import { cpuTimeOf } from '#server/testing/reading-time.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { manyRegistrations } from '#server/testing/test-registrations.ts';
import type { Figures } from './budgets.ts';

/** Nearly all registrants still owe their balance by then, the state that takes longest to calculate. */
const NOW = new Date('2025-12-15T12:00:00-08:00');
const COUNT = 10_000;
/** The fastest of this many rounds counts: the others were disturbed. */
const ROUNDS = 10;
const LOOK_EVERY_MS = 50;

/** What the office's pages take in the app's process with ten thousand registrations that were looked at once. */
export function measureOffice(): Promise<Figures<'office-list' | 'office-search' | 'office-csv'>> {
  return inScope(async (scope) => {
    const office = await startOffice(scope, { now: () => NOW, writesOnce: true });
    await putOnRecord(office.database, manyRegistrations(COUNT, NOW));
    const url = await office.serve();
    // While they were written, the process answered nobody, not even Redis.
    while (!(await office.mailQueue.isAnswering())) await delay(LOOK_EVERY_MS);
    const get = async (path: string): Promise<void> => {
      const answer = await fetch(url + path);
      await answer.text();
      if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
    };
    const fastest = async (path: string): Promise<number> => {
      await get(path);
      let leastMs = Number.POSITIVE_INFINITY;
      for (let round = 0; round < ROUNDS; round += 1)
        leastMs = Math.min(leastMs, await cpuTimeOf(() => get(path)));
      return leastMs;
    };
    return {
      'office-list': await fastest('/office/people?page=150&show=due'),
      'office-search': await fastest('/office/people?search=muller+anna'),
      'office-csv': await fastest('/office/registrations.csv'),
    };
  });
}
