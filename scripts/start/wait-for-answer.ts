import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '#scripts/product/child.ts';
import { StartError } from './settings.ts';

const TIMEOUT_MS = 30_000;
const INTERVAL_MS = 50;

/**
 * Waits until a process that was just started answers at an address.
 * @throws {StartError} when the process ends first, or does not answer within half a minute
 */
export async function waitForAnswer(url: string, child: Child): Promise<void> {
  let ended: string | undefined;
  child.ended.then((how) => {
    ended = how;
  });
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await answers(url))) {
    if (ended !== undefined) throw new StartError(`The ${child.name} ${ended}: see its messages above.`);
    if (Date.now() > deadline) throw new StartError(`The ${child.name} does not answer at ${url}.`);
    await delay(INTERVAL_MS);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { Accept: 'text/html' } });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
