import { join } from 'node:path';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { Verdict } from '#scripts/drills/oracle/count.ts';
import { type Plan, play, type Scene } from '#scripts/drills/stage/lives.ts';
import { DAY_MS, HOUR_MS, onSale } from '#scripts/world/editions.ts';
import { drawPeople, type Person } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { buildNext } from './build-next.ts';
import {
  AWAY,
  announcements,
  peopleAway,
  peopleOfBoth,
  planTwoEditions,
  REGISTER_MOVES,
  releaseAt,
} from './others.ts';
import { FEW_SCENES, SCENES } from './scenes.ts';

const { moments, retreat } = onSale;

/** Where much happens, the clock goes in smaller steps. */
const BUSY_FROM = moments.notice - DAY_MS;
const BUSY_UNTIL = moments.charge + 5 * DAY_MS;
const RECORDINGS = retreat.recordings ?? moments.ends;
/** Late enough that everybody gets the letter about the recordings, also if they are announced late. */
const LAST = RECORDINGS + 4 * DAY_MS;
const AFTER_CHARGE_H = [0.25, 0.5, 0.75, 1, 2, 21];

/**
 * The clock stops at the moments of the edition, of the scenes and of some deeds, and at steps between: those of a small year
 * are longer.
 */
function planYear(people: readonly Person[], scenes: readonly Scene[], isBrief: boolean): Plan {
  const steps = new Set<number>();
  const stepMs = (at: number): number => {
    const isBusy = at > BUSY_FROM && at < BUSY_UNTIL;
    return DAY_MS * (isBusy ? (isBrief ? 1 : 0.5) : isBrief ? 3 : 1);
  };
  for (let at = moments.opens; at < moments.ends; at += stepMs(at)) steps.add(at);
  const stops = people.flatMap(({ deeds }) => deeds.filter((deed) => deed.stops));
  const days = [retreat.testSession, ...retreat.wayIn].map(({ from }) => from);
  for (const at of [...Object.values(moments), ...days, ...[...scenes, ...stops].map((one) => one.at)])
    steps.add(at);
  // Stands in for the work of each minute, which goes by the machine's time.
  for (const hours of AFTER_CHARGE_H) steps.add(moments.charge + hours * HOUR_MS);
  // The last registrants are in time.
  steps.add(moments.closes - HOUR_MS);
  for (const at of [moments.ends + 25 * HOUR_MS, RECORDINGS, RECORDINGS + DAY_MS, LAST]) steps.add(at);
  return { scenes, steps: [...steps].toSorted((one, other) => one - other) };
}

/**
 * Lets people live through the year while everything fails; at the same time others live without a worker, and then others
 * while the next edition goes on sale. Judges the result.
 */
export async function runYear(
  options: DrillRun & {
    registrations: number;
    /** With few faults and larger steps of the clock. */
    isBrief?: boolean;
  },
) {
  const { registrations, isBrief = false, seed, folder, say } = options;
  const random = createRandom(seed);
  const people = drawPeople(random, registrations);
  const verdict = new Verdict();
  const stageAt = (name: string, build = 'dist') => {
    const at = { folder: join(folder, name), build, startsAt: moments.opens };
    return { ...at, random: createRandom(seed) };
  };
  const besides = async (): Promise<void> => {
    const each = Math.min(10, Math.ceil(registrations / 100));
    const away = peopleAway(each);
    say(`${away.length} beside them, while the worker is away for forty days …`);
    const [{ edition, build }] = await Promise.all([
      buildNext(join(folder, 'project')),
      play(stageAt('away'), away, AWAY, verdict, say),
    ]);
    const release = await releaseAt(join(folder, 'release'), 'dist');
    const both = peopleOfBoth(each, edition);
    say(`${both.length} of two editions …`);
    const plan = planTwoEditions(release, build);
    await play(stageAt('both', release.path), both, plan, verdict, say, true);
  };
  await buildWhenStale('production', 'dist');
  const release = await releaseAt(join(folder, 'year-release'), 'dist');
  const announced = announcements(random, release, isBrief);
  const scenes = [...(isBrief ? FEW_SCENES : SCENES), REGISTER_MOVES, ...announced];
  say(`${people.length} registrations through the year …`);
  const plan = planYear(people, scenes, isBrief);
  await Promise.all([play(stageAt('year', release.path), people, plan, verdict, say), besides()]);
  return verdict.outcome();
}
