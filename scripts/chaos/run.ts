import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { until } from '#scripts/product/child.ts';
import { between, createRandom, type Random } from '#server/testing/random.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { createStorm, type Storm } from './faults.ts';
import { deedOnPage } from './her-page.ts';
import { judge, PROMISES } from './invariants.ts';
import { drawPeople, type Person } from './lives.ts';
import { at, DAY_MS, HOUR_MS, MINUTE_MS, moments, type When, wayInAt } from './moments.ts';
import { act, support } from './office.ts';
import { again, openSite, type Site } from './site.ts';
import { type Registrant, register } from './visitor.ts';

const AT_ONCE = 16;
const ARRIVAL_MS = 160;
/** What failed is tried again a quarter of an hour later. */
const RETRY_MS = 15 * MINUTE_MS;

/** Of this process: its build finds the packages from there. */
export const FOLDER = join(process.cwd(), '.data', `chaos-${process.pid}`);

/** What goes wrong while people register on the first day: the faults of a lane one after the other, the lanes at once. */
const LANES: readonly (readonly Parameters<Storm['strike']>[])[] = [
  [['Redis killed', { lastsMs: 4_000 }], ['Redis frozen', { lastsMs: 3_000 }], ['Redis wiped']],
  [
    ['worker killed', { instant: 'mail' }],
    ['two workers', { instant: 'mail' }],
  ],
  [
    ['app killed', { instant: 'deposit' }],
    ['app killed', { instant: 'consent' }],
    ['register locked'],
    ['register full', { lastsMs: 3_000 }],
  ],
  [
    ['mail server hangs', { lastsMs: 6_000 }],
    ['mail server refuses for now'],
    ['mail server cuts before its OK'],
  ],
];

/** And later, when the clock comes to a moment. */
const SCENES: readonly (readonly [when: When, ...faults: Parameters<Storm['strike']>[]])[] = [
  ['opens+2d', ['Stripe fails'], ['events doubled']],
  ['opens+4d', ['events reversed'], ['app killed']],
  ['notice', ['worker killed', { instant: 'mail' }]],
  ['notice+2d', ['Redis killed']],
  ['notice+125h', ['worker killed', { instant: 'refund' }], ['Redis wiped']],
  ['reminder', ['Redis frozen', { lastsMs: 3_000 }], ['mail server refuses for now']],
  ['charge-5h', ['mail server away'], ['events lost']],
  ['charge', ['worker killed', { instant: 'confirm' }], ['two workers', { instant: 'confirm' }]],
  ['charge+20h', ['mail server back'], ['events doubled']],
  ['charge+1d', ['register moved']],
  ['charge+26h', ['worker killed', { instant: 'confirm' }], ['app killed'], ['Redis wiped']],
  ['charge+3d', ['mail server cuts before its OK'], ['events reversed']],
  ['charge+6d', ['PostgreSQL failed over']],
  ['charge+20d', ['calm']],
  ['testSession', ['worker killed', { instant: 'mail' }]],
  ['closes', ['Redis killed'], ['two workers', { instant: 'mail' }]],
  ['recordings', ['worker killed', { instant: 'mail' }]],
];

export interface Options {
  registrations: number;
  seed: number;
  /** Stops the clock twice a day, and not only where something happens. */
  year: boolean;
  say: (sentence: string) => void;
}

/**
 * Lets people register while everything fails, and live until the recordings, by a clock that is moved. Judges what came out.
 * @returns what is wrong, and what happened how often
 */
export async function run({ registrations, seed, year, say }: Options) {
  await buildWhenStale('production', 'dist');
  const random = createRandom(seed);
  const people = drawPeople(random, registrations);
  const places = people.filter(({ pays, isOfCrowd }) => pays && !isOfCrowd).length + 2;
  const site = await openSite({ folder: FOLDER, build: await withPlaces(places), random });
  const storm = createStorm(site);
  const life = createLife(site, storm, places, random);
  try {
    await act(site, edition.facts.id, 'announce-room url=https://room.example/');
    for (const now of stops(people, year)) await life.step(now, people, say);
    await life.settle();
    return await judge({ site, storm, life });
  } finally {
    await site.close();
    await rm(FOLDER, { recursive: true });
  }
}

/** A copy of the build, beside its packages, whose edition has a number of places: too few for the crowd at the end. */
async function withPlaces(places: number): Promise<string> {
  const build = join(FOLDER, 'build');
  await cp('dist', build, { recursive: true });
  const content = join(build, 'content');
  for (const name of (await readdir(content)).filter((file) => file.endsWith('.js'))) {
    const text = await readFile(join(content, name), 'utf8');
    await writeFile(
      join(content, name),
      text.replace(/"holdMinutes":/g, `"places": ${places}, "holdMinutes":`),
    );
  }
  return build;
}

/** Where the clock stops. */
function stops(people: readonly Person[], isYear: boolean): number[] {
  const steps = new Set([...Object.values(moments), ...wayInAt, ...SCENES.map(([when]) => at(when))]);
  for (const { deeds } of people) for (const deed of deeds) steps.add(deed.at);
  for (const hours of [0.25, 0.5, 1, 2]) steps.add(moments.charge + hours * HOUR_MS);
  steps.add(moments.closes - HOUR_MS);
  const stepMs = isYear ? DAY_MS / 2 : 2 * DAY_MS;
  for (let day = moments.opens; day < moments.recordings + 4 * DAY_MS; day += stepMs) steps.add(day);
  return [...steps].toSorted((one, other) => one - other);
}

function createLife(site: Site, storm: Storm, places: number, random: Random) {
  const registrants: Registrant[] = [];
  const problems: string[] = [];
  /** When the register was a copy that nobody had released, by the machine's clock. */
  const hold = { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
  const done = new Set<Person['deeds'][number]>();
  const tried = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: Error) => void problems.push(`${error.message} ${error.cause ?? ''}`));
  };
  const arrive = async (newcomers: readonly Person[], everyMs = 0): Promise<void> => {
    const coming: Promise<void>[] = [];
    for (const person of newcomers) {
      const comes = async () => void registrants.push(await register(person, site));
      coming.push(tried(() => (person.isOfCrowd ? comes().catch(unlessFull) : comes())));
      await pause(everyMs);
    }
    await Promise.all(coming);
  };
  let before = Number.NEGATIVE_INFINITY;
  const isNow = (moment: number): boolean => moment > before && moment <= site.sandbox.clock.now();
  const carryOut = async (
    { does, words }: Person['deeds'][number],
    registrant: Registrant,
  ): Promise<void> => {
    const { registration } = registrant;
    const { bank } = site.sandbox;
    if (does === 'office') return act(site, registration, words);
    if (does !== 'disputes-deposit' && does !== 'settles-refunds') return deedOnPage(does, registrant, site);
    for (const { id, number } of site.successes.filter((one) => one.registration === registration)) {
      const payment = await again(() => site.stripe.paymentIntents.retrieve(id));
      if (does === 'disputes-deposit' && number === 0) bank.openDispute(String(payment.latest_charge));
      if (does === 'settles-refunds')
        for (const refund of (await again(() => site.stripe.refunds.list({ payment_intent: id }))).data)
          bank.settleRefund(refund.id);
    }
  };
  return {
    registrants,
    problems,
    hold,
    /** Moves the clock; people come, act, and everything goes wrong that is to go wrong now. */
    async step(now: number, people: readonly Person[], say: (sentence: string) => void): Promise<void> {
      site.moveTo(now);
      const newcomers = people.filter(({ begins }) => isNow(begins) || (before < 0 && begins <= now));
      const strikes = SCENES.filter(([when]) => isNow(at(when))).flatMap(([, ...faults]) => faults);
      if (strikes.length > 0)
        say(`${new Date(now).toISOString().slice(0, 16)} ${strikes.map(([fault]) => fault).join(', ')}`);
      const weather = (async () => {
        for (const strike of strikes) await storm.strike(...strike);
      })();
      const deeds = registrants.flatMap((registrant) =>
        registrant.person.deeds
          .filter((deed) => deed.at <= now && !done.has(deed))
          .map((deed) => [registrant, deed] as const),
      );
      if (isNow(moments.recordings))
        await act(site, edition.facts.id, 'announce-recordings url=https://recordings.example/');
      if (before < 0) await this.firstDay(newcomers, say);
      else await arrive(newcomers);
      await Readable.from(deeds).forEach(
        async ([registrant, deed]) => {
          done.add(deed);
          await tried(() => carryOut(deed, registrant));
        },
        { concurrency: AT_ONCE },
      );
      await weather;
      if (!(await site.rests())) problems.push(`${new Date(now).toISOString()} did not come to rest`);
      const [taken] = await site.ask("select count(*) as count from registrations where standing = 'taken'");
      if (Number(taken?.count) > places)
        problems.push(`${PROMISES.places}: ${taken?.count} of ${places} are taken`);
      before = now;
    },
    /** The first day: people come while the lanes of faults run, and then the register is restored from a copy. */
    async firstDay(newcomers: readonly Person[], say: (sentence: string) => void): Promise<void> {
      say(`${newcomers.length} register while everything fails`);
      const lanes = LANES.map(async (lane) => {
        for (const strike of lane) {
          await pause(between(random, 200, 1_500));
          await storm.strike(...strike);
        }
      });
      await Promise.all([arrive(newcomers, ARRIVAL_MS), ...lanes]);
      say('the register is restored from a copy');
      await storm.strike('register restored', { lastsMs: 3_000 });
      hold.fromMs = Date.now();
      await until(
        'the worker has compared the register with Stripe',
        async () => (await site.ask('select compared_at from register'))[0]?.compared_at !== null,
      );
      await pause(3_000);
      hold.untilMs = Date.now();
      await support(site, ['release', '--by', 'Ada']);
    },
    /** What people do after a bad day; then Redis is lost, and nothing may be sent again. */
    async settle(): Promise<void> {
      await storm.strike('calm');
      if ((await site.quiet.failedMails()) > 0) await support(site, ['retry', '--all']);
      site.moveTo(site.sandbox.clock.now() + RETRY_MS);
      if (!(await site.rests())) problems.push('it did not come to rest at the end');
      const count = site.mails.length;
      await storm.strike('Redis wiped');
      if (!(await site.rests())) problems.push('it did not come to rest after Redis was lost');
      for (const { messageId } of site.mails.slice(count))
        problems.push(`${messageId} was sent after Redis was lost`);
    },
  };
}

function unlessFull(error: Error): void {
  if (!error.message.includes('409')) throw error;
}
