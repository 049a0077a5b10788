import { announce } from './announcements.ts';
import { type EditionLived, nextEdition, onSale } from './editions.ts';
import type { LifeToLive } from './life.ts';
import type { Plan } from './live.ts';
import { type Person, personOf } from './people.ts';
import type { Release } from './release.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** When the next edition goes on sale, and its registrants come. */
const SOLD_FROM = onSale.moments.opens + 4 * DAY_MS;
const NEXT_BEGIN = SOLD_FROM + DAY_MS;
/** When the office announces that the schedule of the first has changed. */
const CHANGED_AT = onSale.moments.charge + 2 * DAY_MS;
/** After the clocks have changed, and less than four days before the charge of the others. */
const LATE_BEGIN = nextEdition.moments.reminder + 46 * HOUR_MS;

/** The lives of people of both editions; nothing else goes wrong. */
const LIVES_OF_BOTH = {
  charged: { letters: 'notice reminder paid', ending: 'charged', tries: 1 },
  declined: {
    ...{ letters: 'notice reminder failed paid', ending: 'charged', tries: 2 },
    declines: ['insufficient_funds'],
  },
  pays: {
    ...{ letters: 'notice paid', ending: 'pays', tries: 0 },
    deeds: ({ edition }) => [{ does: 'pay-now', at: edition.moments.notice + DAY_MS }],
  },
  cancels: {
    ...{ letters: 'notice paid received office-cancel cancelled', ending: 'pays', tries: 0, back: 'policy' },
    deeds: ({ edition: { moments } }) => [
      { does: 'pay-now', at: moments.notice + DAY_MS },
      { does: 'cancel', at: moments.notice + 2 * DAY_MS },
    ],
  },
  'without-consent': { letters: 'please-pay', ending: 'unpaid', tries: 0, isWithoutConsent: true },
} satisfies Record<string, LifeToLive>;

const LATE: LifeToLive = { letters: 'notice paid', ending: 'charged', tries: 1 };

/** People of the edition that is on sale at first and of the next one, `each` people for each life. */
export function peopleOfBoth(each: number, next: EditionLived): Person[] {
  const lives: [LifeToLive, string, number, EditionLived][] = [
    ...both(onSale, onSale.moments.opens),
    ...both(next, NEXT_BEGIN),
    [LATE, 'late', LATE_BEGIN, next],
  ];
  return lives.flatMap(([life, name, beganAt, edition], group) =>
    Array.from({ length: each }, (_, place) =>
      personOf(group * each + place, `${name}, ${edition.id}`, life, beganAt, { edition }),
    ),
  );
}

function both(edition: EditionLived, beganAt: number) {
  return Object.entries(LIVES_OF_BOTH).map(([name, life]): [LifeToLive, string, number, EditionLived] => [
    life,
    name,
    beganAt,
    edition,
  ]);
}

/** The clock also stops before each moment, when nothing may happen yet. */
const stepsOf = ({
  moments: { notice, reminder, charge },
  retreat: { testSession, wayIn },
}: Pick<EditionLived, 'moments' | 'retreat'>): number[] => [
  ...[notice, reminder, charge, testSession.from].flatMap((at) => [at - 30 * MINUTE_MS, at]),
  ...wayIn.map(({ from }) => from),
  ...[notice + DAY_MS, notice + 2 * DAY_MS, notice + 3 * DAY_MS + 2 * HOUR_MS, charge + 25 * HOUR_MS],
];

/** The site sells one edition, and then the next while people of the first still owe. */
export function planTwoEditions(release: Release, nextBuild: string): Plan {
  const lateDue = LATE_BEGIN + nextEdition.lateMs;
  const steps = [
    ...[onSale.moments.opens, SOLD_FROM, NEXT_BEGIN, CHANGED_AT],
    // The next walk notifies her.
    ...[LATE_BEGIN, LATE_BEGIN + 10 * MINUTE_MS, lateDue + MINUTE_MS],
    ...[onSale, nextEdition].flatMap(stepsOf),
  ];
  return {
    steps: steps.toSorted((one, other) => one - other),
    scenes: [
      {
        at: SOLD_FROM,
        name: 'the next edition goes on sale',
        async play({ stage: { app, worker } }) {
          await app.stop();
          await worker.stop();
          await release.become(nextBuild);
          await worker.start();
          await app.start();
        },
      },
      {
        at: CHANGED_AT,
        name: 'the schedule of the first changes',
        play: ({ stage }) =>
          announce('schedule-changed', onSale, stage, ['announce-schedule', onSale.id], nextBuild),
      },
    ],
  };
}
