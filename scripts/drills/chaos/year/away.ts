import { onSale } from './editions.ts';
import type { LifeToLive } from './life.ts';
import { carryOut, inParallel, type Lived } from './live.ts';
import { personOf } from './people.ts';
import { register } from './register.ts';
import { watchQuiet } from './settle.ts';
import type { YearStage } from './stage.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const AWAY_MS = 40 * DAY_MS;
const QUIET_TIMEOUT_MS = 240_000;

const { moments } = onSale;

/** When the worker is killed, comes back, is killed again, and comes back for good. */
const GONE_AT = moments.notice + 1.5 * DAY_MS;
const BACK_AT = GONE_AT + AWAY_MS;
const GONE_AGAIN_AT = BACK_AT + HOUR_MS;
const BACK_AGAIN_AT = moments.ends + 12 * HOUR_MS;

/** When she acts on her page: from the moment of the charge on it says that she is being charged. */
const ON_PAGE_AT = moments.charge - HOUR_MS;

/** What becomes of people while the worker is away for forty days. */
const AWAY_LIVES = {
  /** Notified in time: she is charged when the worker is back. */
  'told-before': { begins: moments.opens, letters: 'notice paid', ending: 'charged', tries: 1 },
  /** Never notified: she is asked to pay. */
  'registered-meanwhile': { begins: GONE_AT, letters: 'please-pay', ending: 'unpaid', tries: 0 },
  /**
   * Pays and cancels in time on her page: the refund depends on that moment, however late the worker makes
   * it.
   */
  'cancels-meanwhile': {
    ...{ begins: moments.opens, letters: 'notice office-cancel cancelled', maybe: 'received' },
    ...{ ending: 'pays', tries: 0, back: 70_000 },
    deeds: () => [
      { does: 'pay-now', at: ON_PAGE_AT },
      { does: 'cancel', at: ON_PAGE_AT },
    ],
  },
  /**
   * Notified in time, and due while the worker is away again until the retreat is over: the office is
   * informed.
   */
  'due-too-late': { begins: BACK_AT - 3.5 * DAY_MS, letters: 'notice', ending: 'unpaid', tries: 0 },
} satisfies Record<string, LifeToLive & { begins: number }>;

/**
 * The worker is away over the due date, while the site takes registrations; then once more over the end of the retreat.
 * @param each how many people live each of the lives
 */
export async function liveWithoutWorker(each: number, stage: YearStage): Promise<Lived> {
  const lived: Lived = { registrants: [], problems: [], steps: [] };
  const quiet = watchQuiet(stage);
  const [told = [], meanwhile = [], cancelling = [], tooLate = []] = Object.entries(AWAY_LIVES).map(
    ([name, life], group) =>
      Array.from({ length: each }, (_, place) => personOf(group * each + place, name, life, life.begins)),
  );
  stage.bounces.expect([told, meanwhile, cancelling, tooLate].flat());
  const rest = async (at: number): Promise<void> => {
    lived.steps.push(at);
    if (!(await quiet.until(at, QUIET_TIMEOUT_MS)))
      lived.problems.push('without its worker for a while, the site did not come to rest');
  };
  const begin = (some: typeof told) =>
    inParallel(some, lived, async (person) => void lived.registrants.push(await register(person, stage)));
  try {
    await begin([...told, ...cancelling]);
    await rest(moments.opens);
    stage.moveTo(moments.notice);
    await rest(moments.notice);
    stage.moveTo(GONE_AT);
    await rest(GONE_AT);
    await stage.worker.kill();
    await begin(meanwhile);
    stage.moveTo(ON_PAGE_AT);
    await inParallel(lived.registrants, lived, async (registrant) => {
      for (const deed of registrant.person.deeds) await carryOut(deed, registrant, stage);
    });
    stage.moveTo(AWAY_LIVES['due-too-late'].begins);
    await begin(tooLate);
    stage.moveTo(BACK_AT);
    await stage.worker.start();
    await rest(BACK_AT);
    stage.moveTo(GONE_AGAIN_AT);
    await rest(GONE_AGAIN_AT);
    await stage.worker.kill();
    stage.moveTo(BACK_AGAIN_AT);
    await stage.worker.start();
    await rest(BACK_AGAIN_AT);
  } finally {
    await quiet.close();
  }
  return lived;
}
