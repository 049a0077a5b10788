import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { between, type Random } from '#scripts/drills/chaos/plan-faults.ts';
import { startChild } from '#scripts/product/child.ts';
import { type EditionLived, onSale } from './editions.ts';
import type { Announced } from './ledger.ts';
import type { Release } from './release.ts';
import type { Scene } from './scenes.ts';
import type { YearStage } from './stage.ts';
import type { Storm } from './storm.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const TIMEOUT_MS = 60_000;
const RETRY_MS = 1_000;
/** The exit code of the support program when the act is done already, or cannot be done. */
const WRONG_STATE = 4;

const { notice, charge, ends } = onSale.moments;
const { recordings = ends, wayIn } = onSale.retreat;

/** Where the office says that the recordings are. */
const RECORDINGS_URL = 'https://recordings.example/doorway';

/**
 * At random moments the office announces that the schedule has changed, before the balance and after it, and
 * where the recordings are, before or after their day. Right after each announcement a process is killed.
 */
export function announcements(draw: Random, release: Release, isBrief: boolean): Scene[] {
  const changes = [
    ...(isBrief ? [] : [between(draw, notice + 12 * HOUR_MS, charge - 12 * HOUR_MS)]),
    between(draw, charge + 30 * HOUR_MS, ends - DAY_MS),
  ];
  const dies = isBrief ? [forgetAll] : [(storm: Storm) => storm.killWorkerAtMail(), forgetAll];
  return [
    ...changes.map((at, place) => ({
      at,
      name: 'the schedule changes',
      async play(storm: Storm) {
        const { stage } = storm;
        await becomeRevision(place + 2, release, stage);
        await announce('schedule-changed', onSale, stage, ['announce-schedule', onSale.id], release.path);
        await dies[place]?.(storm);
      },
    })),
    {
      at: between(draw, wayIn.at(-1)?.until ?? ends, recordings + 2 * DAY_MS),
      name: 'the recordings are there',
      async play(storm) {
        const words = ['announce-recordings', onSale.id, RECORDINGS_URL];
        await Promise.all([
          storm.killRedis(),
          announce('recordings', onSale, storm.stage, words, release.path),
        ]);
      },
    },
  ];
}

/** Redis is wiped, so that nothing has to wait until the lock of the killed worker expires. */
async function forgetAll(storm: Storm): Promise<void> {
  await storm.killWorkerAtMail();
  await storm.wipeRedis();
}

/** Lets the office announce something with the support program of a build, and retries until it is done. */
export async function announce(
  what: Announced['what'],
  { id: edition }: Pick<EditionLived, 'id'>,
  { env, sandbox, ledger }: YearStage,
  words: readonly string[],
  build: string,
): Promise<void> {
  const noted: Announced = { what, edition, askedAt: sandbox.clock.now(), doneAt: Number.POSITIVE_INFINITY };
  ledger.announced.push(noted);
  const deadline = Date.now() + TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    const said: string[] = [];
    const { ended } = startChild({
      name: 'support program',
      command: process.execPath,
      args: [join(build, 'support.js'), ...words, '--by', 'Ada'],
      env: { PATH: process.env.PATH, ...env },
      onLine: (line) => void said.push(line),
    });
    const how = await ended;
    const isDone = how.endsWith('code 0') || (tries > 1 && how.endsWith(`code ${WRONG_STATE}`));
    if (isDone) break;
    if (Date.now() > deadline) throw new Error(`support ${words.join(' ')} ${how}: ${said.join('\n')}`);
    await pause(RETRY_MS);
  }
  noted.doneAt = sandbox.clock.now();
}

/** Releases the site again, with another revision of the schedule. */
async function becomeRevision(revision: number, release: Release, { app, worker }: YearStage): Promise<void> {
  const build = `${release.path}-${revision}`;
  await cp('dist', build, { recursive: true });
  const folder = join(build, 'content');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replace(/("revision": )\d+/, `$1${revision}`));
  }
  await app.stop();
  await worker.stop();
  await release.become(build);
  await worker.start();
  await app.start();
}
