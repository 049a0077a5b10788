import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '#scripts/product/child.ts';
import type { Site } from './site.ts';

const TIMEOUT_MS = 90_000;
const RETRY_MS = 1_000;
const MOST_AT_ONCE = 3;
/** Exit codes of the support program: wrong usage, nothing found; done already, or not possible. */
const FINAL = ['code 2', 'code 3', 'code 4'];
const WRONG_STATE = 'code 4';

let running = 0;

/**
 * Runs a command of support, and runs it again until it works, as a person does. If it was done, but that was not told,
 * the next try is refused, which shows that it is done.
 * @throws {Error} when the first try is refused, or it is not done in time
 */
export async function support(
  { build, env }: Pick<Site, 'build' | 'env'>,
  words: readonly string[],
): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    while (running >= MOST_AT_ONCE) await pause(50);
    running += 1;
    const said: string[] = [];
    const how = await startChild({
      name: 'support program',
      command: process.execPath,
      args: [join(build, 'support.js'), ...words],
      env: { PATH: process.env.PATH, ...env },
      onLine: (line) => void said.push(line),
    }).ended;
    running -= 1;
    if (how.endsWith('code 0') || (tries > 1 && how.endsWith(WRONG_STATE))) return;
    if (FINAL.some((code) => how.endsWith(code)) || Date.now() > deadline)
      throw new Error(`support ${words.join(' ')} ${how}: ${said.join(' ')}`);
    await pause(RETRY_MS);
  }
}

/** What the office does about a registration or an edition: `waive dollars=200 as=reduction`, words in quotation marks as one. */
export const act = (site: Pick<Site, 'build' | 'env'>, about: string, words: string): Promise<void> => {
  const fields = words.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  return support(site, ['act', about, ...fields.map((word) => word.replaceAll('"', '')), '--by', 'Ada']);
};
