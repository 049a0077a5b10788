import { onSale } from './editions.ts';
import type { Storm } from './storm.ts';
import { CHARGE_STEPS, REFUND_STEPS } from './stripe-troubles.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const SHORT_MS = 1_000;

/**
 * Something that goes wrong when the clock reaches a moment. It is over when `play` resolves, unless a later
 * scene ends it.
 */
export interface Scene {
  at: number;
  name: string;
  play(storm: Storm): Promise<void>;
}

const { opens, notice, reminder, charge } = onSale.moments;
const { testSession, wayIn, recordings = onSale.moments.ends } = onSale.retreat;
/** When the first letter with the way in is sent, and those on the following days. */
const [eve = 0, first = 0, second = 0, third = 0] = wayIn.map(({ from }) => from);

/** The percentage of requests that fail at Stripe. */
const LIGHT = 12;
const HEAVY = 25;
/** The percentage in a small year: some hundreds of requests fail, and each of them costs waiting time. */
const FEW = 6;

/** What goes wrong, and when; around the moments of the balance most of all. */
export const SCENES: readonly Scene[] = [
  scene(opens + 2 * DAY_MS, 'Stripe fails now and then', async ({ stage }) =>
    stage.troubles.failRequests(LIGHT),
  ),
  scene(opens + 3 * DAY_MS, 'app and worker die', async (storm) => {
    await Promise.all([storm.killApp(), storm.killWorkerAtMail()]);
  }),
  scene(opens + 4 * DAY_MS, 'events come twice', async (storm) => storm.events('doubled')),
  scene(opens + 6 * DAY_MS, 'events come in the wrong order', async (storm) => storm.events('reversed')),
  scene(notice, 'the worker dies in the notices, the mail server is slow', async (storm) => {
    await storm.killWorkerAtMail();
    await storm.mailTrouble('smtp-slow', 3_000);
    await storm.mailTrouble('smtp-cuts', SHORT_MS);
  }),
  scene(notice + 2 * DAY_MS, 'Redis dies', (storm) => storm.killRedis()),
  scene(notice + 5 * DAY_MS + 2 * HOUR_MS, 'the worker dies in the refunds', dieInRefunds),
  scene(reminder, 'Redis hangs, the mail server refuses for now', async (storm) => {
    await Promise.all([storm.freezeRedis(), storm.mailTrouble('smtp-4xx', SHORT_MS)]);
  }),
  scene(charge - 5 * HOUR_MS, 'no mail server, no events', noMailNoEvents),
  scene(charge, 'everything at the due minute', async (storm) => {
    storm.stage.troubles.failRequests(HEAVY);
    await storm.killWorkerAt('confirm');
    await storm.wipeRedis();
    // The walk of a killed worker is continued only once its lock has expired; when Redis is wiped, another
    // begins at once.
    for (const step of CHARGE_STEPS) {
      await storm.killWorkerAt(step);
      if (step !== 'try') await storm.wipeRedis();
    }
    await storm.withSecondWorker(() => storm.killWorkerAt('confirm'));
    storm.stage.troubles.failRequests(LIGHT);
  }),
  scene(charge + 20 * HOUR_MS, 'the mail server is back', async (storm) => {
    await storm.stage.sink.apply(undefined);
    storm.events(undefined);
  }),
  scene(charge + 26 * HOUR_MS, 'the worker dies in the second tries', async (storm) => {
    await Promise.all([storm.killWorkerAt('confirm'), storm.killApp()]);
    await storm.wipeRedis();
  }),
  scene(charge + 29 * HOUR_MS, 'the worker dies in more refunds, beside another', async (storm) => {
    storm.stage.troubles.failRequests(HEAVY);
    await storm.withSecondWorker(() => dieInRefunds(storm));
    storm.stage.troubles.failRequests(LIGHT);
  }),
  scene(charge + 3 * DAY_MS, 'the mail server cuts', (storm) => storm.mailTrouble('smtp-cuts', SHORT_MS)),
  scene(charge + 5 * DAY_MS, 'events come in the wrong order', async (storm) => storm.events('reversed')),
  scene(charge + 10 * DAY_MS, 'the worker dies in a late charge', (storm) => storm.killWorkerAt('try')),
  scene(charge + 12 * DAY_MS, 'Redis dies', (storm) => storm.killRedis()),
  scene(charge + 16 * DAY_MS, 'events come twice', async (storm) => storm.events('doubled')),
  scene(charge + 20 * DAY_MS, 'all is calm', calm),
  scene(
    testSession.from,
    'the worker dies in the letters about the test session, the mail server cuts',
    async (storm) => {
      await storm.killWorkerAtMail();
      await storm.mailTrouble('smtp-cuts', SHORT_MS);
    },
  ),
  scene(eve, 'Redis dies while the way in is told', async (storm) => {
    await Promise.all([storm.killRedis(), storm.killWorkerAtMail()]);
  }),
  scene(first, 'Stripe fails now and then, events come twice', async (storm) => {
    storm.stage.troubles.failRequests(LIGHT);
    storm.events('doubled');
  }),
  scene(second, 'two workers, and one dies', (storm) =>
    storm.withSecondWorker(() => storm.killWorkerAtMail()),
  ),
  scene(third, 'Redis is lost', (storm) => storm.wipeRedis()),
  scene(third + 12 * HOUR_MS, 'all is calm', calm),
  scene(recordings, 'the worker dies in the letters about the recordings', (storm) =>
    storm.killWorkerAtMail(),
  ),
];

/**
 * The same for a small year. Redis is wiped, so that nothing has to wait until the lock of a killed worker
 * expires.
 */
export const FEW_SCENES: readonly Scene[] = [
  scene(opens + 2 * DAY_MS, 'Stripe fails now and then, events come twice', async (storm) => {
    storm.stage.troubles.failRequests(FEW);
    storm.events('doubled');
  }),
  scene(notice, 'the worker dies in the notices, Redis is lost', async (storm) => {
    await storm.killWorkerAtMail();
    await storm.wipeRedis();
  }),
  scene(charge - 5 * HOUR_MS, 'no mail server, no events', noMailNoEvents),
  scene(charge, 'much at the due minute', async (storm) => {
    for (const step of ['confirm', 'decline'] as const) {
      await storm.killWorkerAt(step);
      await storm.wipeRedis();
    }
  }),
  scene(charge + 20 * HOUR_MS, 'the mail server is back, events come in the wrong order', async (storm) => {
    await storm.stage.sink.apply(undefined);
    storm.events('reversed');
  }),
  scene(charge + 29 * HOUR_MS, 'the worker dies in the refunds', dieInRefunds),
  scene(charge + 2 * DAY_MS, 'all is calm', calm),
  scene(
    testSession.from,
    'the worker dies in the letters about the test session, Redis is lost',
    async (storm) => {
      await storm.killWorkerAtMail();
      await storm.wipeRedis();
    },
  ),
  scene(eve, 'the mail server cuts while the way in is told', (storm) =>
    storm.mailTrouble('smtp-cuts', SHORT_MS),
  ),
];

/** Redis is wiped each time, so that another walk begins at once in place of the killed worker's walk. */
async function dieInRefunds(storm: Storm): Promise<void> {
  for (const step of REFUND_STEPS) {
    await storm.killWorkerAt(step);
    await storm.wipeRedis();
  }
}

async function noMailNoEvents(storm: Storm): Promise<void> {
  await storm.stage.sink.apply('smtp-refused');
  storm.counts.set('SMTP: away over the due date', 1);
  storm.events('lost');
}

async function calm(storm: Storm): Promise<void> {
  storm.events(undefined);
  storm.stage.troubles.failRequests(0);
}

function scene(at: number, name: string, play: Scene['play']): Scene {
  return { at, name, play };
}
