import { join } from 'node:path';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { type DrillRun, Verdict } from '#scripts/drills/drill.ts';
import { type Plan, play } from '#scripts/drills/stage/lives.ts';
import { support } from '#scripts/drills/stage/office.ts';
import type { Stage } from '#scripts/drills/stage/stage.ts';
import {
  DAY_MS,
  type EditionLived,
  HOUR_MS,
  MINUTE_MS,
  nextEdition,
  onSale,
} from '#scripts/world/editions.ts';
import { LATE_OF_BOTH, LIVES_OF_BOTH } from '#scripts/world/lives.ts';
import { drawPeople, type Person, peopleLiving } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { buildNext, type Release, releaseAt } from './releases.ts';
import { FEW_SCENES, REGISTER_MOVES, SCENES } from './scenes.ts';

const { moments, retreat } = onSale;

/**
 * Lets people live through the year while everything fails, and others while the next edition goes on sale. Judges the
 * result.
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
  const stageAt = (name: string, build: string) => ({
    folder: join(folder, name),
    build,
    startsAt: moments.opens,
    random: createRandom(seed),
  });
  const besides = async (): Promise<void> => {
    const { edition, build } = await buildNext(join(folder, 'project'));
    const sold = await releaseAt(join(folder, 'release'), 'dist');
    const both = peopleOfBoth(Math.min(10, Math.ceil(registrations / 100)), edition);
    say(`${both.length} of two editions …`);
    await play(stageAt('both', sold.path), both, planTwoEditions(sold, build), verdict, say, true);
  };
  await buildWhenStale('production', 'dist');
  const scenes = [...(isBrief ? FEW_SCENES : SCENES), REGISTER_MOVES];
  say(`${people.length} registrations through the year …`);
  const plan = { scenes, steps: stepsOfYear(isBrief) };
  await Promise.all([play(stageAt('year', 'dist'), people, plan, verdict, say), besides()]);
  return verdict.outcome();
}

/** Where much happens, the clock goes in smaller steps. */
const BUSY_FROM = moments.notice - DAY_MS;
const BUSY_UNTIL = moments.charge + 5 * DAY_MS;
/** Stands in for the work of each minute, which goes by the machine's time. */
const AFTER_CHARGE_H = [0.25, 0.5, 0.75, 1, 2, 21];

/** The clock stops at the moments of the edition, and at steps between: those of a small year are longer. */
function stepsOfYear(isBrief: boolean): number[] {
  const { testSession, wayIn } = retreat;
  const steps = [
    ...Object.values(moments),
    ...[testSession, ...wayIn].map(({ from }) => from),
    ...AFTER_CHARGE_H.map((hours) => moments.charge + hours * HOUR_MS),
    // The last registrants are in time.
    moments.closes - HOUR_MS,
    moments.ends + 25 * HOUR_MS,
  ];
  const stepMs = (at: number): number => {
    const isBusy = at > BUSY_FROM && at < BUSY_UNTIL;
    return DAY_MS * (isBusy ? (isBrief ? 1 : 0.5) : isBrief ? 3 : 1);
  };
  for (let at = moments.opens; at < moments.ends; at += stepMs(at)) steps.push(at);
  return steps;
}

/** When the next edition goes on sale, and its registrants come. */
const SOLD_FROM = moments.opens + 4 * DAY_MS;
const NEXT_BEGIN = SOLD_FROM + DAY_MS;
/** When the office announces that the schedule of the first has changed. */
const CHANGED_AT = moments.charge + 2 * DAY_MS;
/** After the clocks have changed, and less than four days before the charge of the others. */
const LATE_BEGIN = nextEdition.moments.reminder + 46 * HOUR_MS;

/** People of the edition that is on sale at first and of the next one, `each` people for each life. */
function peopleOfBoth(each: number, next: EditionLived): Person[] {
  const both = (edition: EditionLived, beganAt: number) =>
    Object.entries(LIVES_OF_BOTH).map(([name, life]) => ({
      name: `${name}, ${edition.id}`,
      life,
      beganAt,
      edition,
    }));
  return peopleLiving(each, [
    ...both(onSale, moments.opens),
    ...both(next, NEXT_BEGIN),
    { name: `late, ${next.id}`, life: LATE_OF_BOTH, beganAt: LATE_BEGIN, edition: next },
  ]);
}

/** The clock also stops before each moment, when nothing may happen yet. */
const stepsOf = (edition: Pick<EditionLived, 'moments' | 'retreat'>): number[] => {
  const { notice, reminder, charge } = edition.moments;
  const { testSession, wayIn } = edition.retreat;
  return [
    ...[notice, reminder, charge, testSession.from].flatMap((at) => [at - 30 * MINUTE_MS, at]),
    ...wayIn.map(({ from }) => from),
    notice + DAY_MS,
    notice + 2 * DAY_MS,
    notice + 3 * DAY_MS + 2 * HOUR_MS,
    charge + 25 * HOUR_MS,
  ];
};

/** The site sells one edition, and then the next while people of the first still owe. */
const planTwoEditions = (release: Release, nextBuild: string): Plan => ({
  steps: [
    moments.opens,
    NEXT_BEGIN,
    // The worker notifies her.
    LATE_BEGIN,
    LATE_BEGIN + 10 * MINUTE_MS,
    LATE_BEGIN + nextEdition.lateMs + MINUTE_MS,
    ...[onSale, nextEdition].flatMap(stepsOf),
  ],
  scenes: [
    {
      at: SOLD_FROM,
      name: 'the next edition goes on sale',
      play: ({ stage }) => release.become(nextBuild, stage),
    },
    {
      at: CHANGED_AT,
      name: 'the schedule of the first changes',
      play: ({ stage }) => announceSchedule(stage),
    },
  ],
});

/** Lets the office announce the schedule with the support program of the build that runs. */
async function announceSchedule(stage: Stage): Promise<void> {
  const { clock } = stage.sandbox;
  const noted = { edition: onSale.id, from: clock.now(), until: Number.POSITIVE_INFINITY };
  stage.notes.announced.push(noted);
  await support(['announce-schedule', onSale.id, '--by', 'Ada'], stage);
  noted.until = clock.now();
}
