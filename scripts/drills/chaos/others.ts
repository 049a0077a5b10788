import { cp, readdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Plan, Scene } from '#scripts/drills/stage/lives.ts';
import type { Announced } from '#scripts/drills/stage/notes.ts';
import { actFields, announceRoom, support } from '#scripts/drills/stage/office.ts';
import type { Stage } from '#scripts/drills/stage/stage.ts';
import type { Storm } from '#scripts/drills/stage/storm.ts';
import { startPostgres } from '#scripts/product/postgres.ts';
import {
  DAY_MS,
  type EditionLived,
  HOUR_MS,
  MINUTE_MS,
  nextEdition,
  onSale,
} from '#scripts/world/editions.ts';
import { momentOf } from '#scripts/world/life.ts';
import { AWAY_LIVES, LATE_OF_BOTH, LIVES_OF_BOTH } from '#scripts/world/lives.ts';
import { type Person, peopleLiving } from '#scripts/world/people.ts';
import { between, type Random } from '#scripts/world/random.ts';
import { diesAtMail, redisDies, redisIsLost } from './scenes.ts';

const { moments, retreat } = onSale;

type Release = Awaited<ReturnType<typeof releaseAt>>;

/** A build that can be replaced by another build at the same path. */
export async function releaseAt(path: string, build: string) {
  await symlink(resolve(build), path);
  return {
    path,
    async become(other: string): Promise<void> {
      await unlink(path);
      await symlink(resolve(other), path);
    },
  };
}

async function replace({ app, worker }: Stage, release: Release, build: string): Promise<void> {
  await app.stop();
  await worker.stop();
  await release.become(build);
  await worker.start();
  await app.start();
}

async function becomeRevision(revision: number, release: Release, stage: Stage): Promise<void> {
  const build = `${release.path}-${revision}`;
  await cp('dist', build, { recursive: true });
  const folder = join(build, 'content');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replace(/("revision": )\d+/, `$1${revision}`));
  }
  await replace(stage, release, build);
}

/** Lets the office announce something with the support program of the build that runs. */
async function announce(what: Announced['what'], stage: Stage, words: readonly string[]): Promise<void> {
  const { clock } = stage.sandbox;
  const noted = { what, edition: onSale.id, from: clock.now(), until: Number.POSITIVE_INFINITY };
  stage.notes.announced.push(noted);
  await support(['act', onSale.id, ...words, '--by', 'Ada'], stage);
  noted.until = clock.now();
}
const announceSchedule = (stage: Stage) => announce('schedule-changed', stage, ['announce-schedule']);

/**
 * At random moments the office announces that the schedule has changed, before the balance and after it, each time after a
 * release, and where the recordings are, before or after their day; and it writes to all who come. Right after each announcement a process is killed.
 */
export function announcements(draw: Random, release: Release, isBrief: boolean): Scene[] {
  const { recordings = moments.ends, wayIn } = retreat;
  const changes = [
    ...(isBrief ? [] : [between(draw, moments.notice + 12 * HOUR_MS, moments.charge - 12 * HOUR_MS)]),
    between(draw, moments.charge + 30 * HOUR_MS, moments.ends - DAY_MS),
  ];
  return [
    ...changes.map((at, place) => ({
      at,
      name: 'the schedule changes',
      async play(storm: Storm) {
        await becomeRevision(place + 2, release, storm.stage);
        await announceSchedule(storm.stage);
        await diesAtMail(storm);
        if (isBrief || place > 0) await redisIsLost(storm);
      },
    })),
    {
      at: moments.charge + 14 * DAY_MS,
      name: 'the office writes to all who come',
      async play(storm) {
        const text = 'Dear {first name},\n\nPlease have a blanket at hand.\n\n{link}\n';
        const fields = actFields({ to: 'registered', subject: `For ${onSale.title}`, text });
        await announce('message', storm.stage, ['write', ...fields]);
        await diesAtMail(storm);
      },
    },
    {
      at: between(draw, wayIn.at(-1)?.until ?? moments.ends, recordings + 2 * DAY_MS),
      name: 'the recordings are there',
      async play(storm) {
        const words = ['announce-recordings', 'url=https://recordings.example/doorway'];
        await Promise.all([redisDies(storm), announce('recordings', storm.stage, words)]);
      },
    },
  ];
}

/** After the charge, before second tries and most refunds, the operator moves the register from its file to PostgreSQL. */
export const REGISTER_MOVES: Scene = {
  at: moments.charge + DAY_MS,
  name: 'the register moves to PostgreSQL',
  async play({ stage }) {
    const to = (await startPostgres()).url('postgres');
    await stage.app.stop();
    await stage.worker.stop();
    await support(['copy', '--to', to, '--by', 'Ada'], stage);
    stage.env.DATABASE_URL = to;
    await stage.worker.start();
    await stage.app.start();
    stage.count('register moved');
  },
};

/** When the worker is killed, comes back, is killed again, and comes back for good. */
const GONE_AT = moments.notice + 1.5 * DAY_MS;
const BACK_AT = GONE_AT + 40 * DAY_MS;
const GONE_AGAIN_AT = BACK_AT + 2 * HOUR_MS;
const BACK_AGAIN_AT = moments.ends + 12 * HOUR_MS;
const goes = ({ stage }: Storm) => stage.worker.kill();
const comesBack = ({ stage }: Storm) => stage.worker.start();

/** People who live the lives of the group without a worker, so many each. */
export function peopleAway(each: number): Person[] {
  const anchors = { ...moments, began: moments.opens };
  const begun = Object.entries(AWAY_LIVES).map(([name, { begins, life }]) => ({
    name,
    life,
    beganAt: momentOf(begins, anchors),
  }));
  return peopleLiving(each, begun);
}

/** The worker is away over the due date, while the site takes registrations; then once more over the end of the retreat. */
export const AWAY: Plan = {
  steps: [
    moments.opens,
    moments.notice,
    GONE_AT,
    // From the moment of the charge on her page says that she is being charged.
    moments.charge - 2 * HOUR_MS,
    moments.charge - HOUR_MS,
    moments.notice + 38 * DAY_MS,
    BACK_AT,
    BACK_AT + HOUR_MS,
    GONE_AGAIN_AT,
    BACK_AGAIN_AT,
  ],
  scenes: [
    { at: GONE_AT, name: 'the worker is away', play: goes },
    { at: BACK_AT, name: 'it is back', play: comesBack },
    { at: GONE_AGAIN_AT, name: 'it is away again', play: goes },
    { at: BACK_AGAIN_AT, name: 'it is back for good', play: comesBack },
  ],
};

/** When the next edition goes on sale, and its registrants come. */
const SOLD_FROM = moments.opens + 4 * DAY_MS;
const NEXT_BEGIN = SOLD_FROM + DAY_MS;
/** When the office announces that the schedule of the first has changed. */
const CHANGED_AT = moments.charge + 2 * DAY_MS;
/** After the clocks have changed, and less than four days before the charge of the others. */
const LATE_BEGIN = nextEdition.moments.reminder + 46 * HOUR_MS;

/** People of the edition that is on sale at first and of the next one, `each` people for each life. */
export function peopleOfBoth(each: number, next: EditionLived): Person[] {
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
export function planTwoEditions(release: Release, nextBuild: string): Plan {
  const steps = [
    moments.opens,
    SOLD_FROM,
    NEXT_BEGIN,
    CHANGED_AT,
    // The worker notifies her.
    LATE_BEGIN,
    LATE_BEGIN + 10 * MINUTE_MS,
    LATE_BEGIN + nextEdition.lateMs + MINUTE_MS,
    ...[onSale, nextEdition].flatMap(stepsOf),
  ];
  return {
    steps: steps.toSorted((one, other) => one - other),
    scenes: [
      {
        at: SOLD_FROM,
        name: 'the next edition goes on sale',
        async play({ stage }) {
          await replace(stage, release, nextBuild);
          await announceRoom(nextEdition.id, stage);
        },
      },
      {
        at: CHANGED_AT,
        name: 'the schedule of the first changes',
        play: ({ stage }) => announceSchedule(stage),
      },
    ],
  };
}
