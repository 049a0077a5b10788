import type { Scene } from '#scripts/drills/stage/lives.ts';
import type { FaultKind, Storm, Strike } from '#scripts/drills/stage/storm.ts';
import { CHARGE_STEPS, type EventTrouble, REFUND_STEPS } from '#scripts/drills/stage/stripe-troubles.ts';
import type { SmtpTrouble } from '#scripts/product/mail-server.ts';
import { HOUR_MS, onSale } from '#scripts/world/editions.ts';
import { momentOf, type When } from '#scripts/world/life.ts';

type Act = (storm: Storm) => Promise<void>;

const SHORT_MS = 1_000;
/** The shares of the requests that fail at Stripe; in a small year each costs waiting time. */
const [FEW, LIGHT, HEAVY] = [0.06, 0.12, 0.25];

const failing =
  (share: number): Act =>
  async ({ stage }) => {
    stage.troubles.failing = share;
  };
const events =
  (trouble?: EventTrouble): Act =>
  async ({ stage }) => {
    stage.troubles.events = trouble;
  };
const strikes =
  (kind: FaultKind, how?: Strike): Act =>
  (storm) =>
    storm.strike(kind, how);
const inTurn =
  (...acts: readonly Act[]): Act =>
  async (storm) => {
    for (const act of acts) await act(storm);
  };
const together =
  (...acts: readonly Act[]): Act =>
  async (storm) =>
    void (await Promise.all(acts.map((act) => act(storm))));
const besideAnother =
  (act: Act): Act =>
  (storm) =>
    storm.withSecondWorker(() => act(storm));

export const diesAtMail = strikes('worker-killed', { at: 'mail' });
const diesAt = (...steps: readonly (typeof CHARGE_STEPS | typeof REFUND_STEPS)[number][]): Act[] =>
  steps.map((at) => strikes('worker-killed', { at }));
const appDies = strikes('app-killed');
export const redisDies = strikes('redis-killed', { lastsMs: SHORT_MS });
/** Then nothing has to wait until the lock of a killed worker expires: another worker goes on at once. */
export const redisIsLost = strikes('redis-wiped');
const mails = (kind: SmtpTrouble, lastsMs = SHORT_MS): Act => strikes(kind, { lastsMs });
const noMailServer: Act = async (storm) => {
  await storm.stage.mailServer.apply('smtp-refused');
  storm.stage.count('SMTP away over the due date');
};
const mailServerIsBack: Act = ({ stage }) => stage.mailServer.apply(undefined);
/** In Redis's place comes another each time. */
const diesInCharges = inTurn(...CHARGE_STEPS.flatMap((step) => [...diesAt(step), redisIsLost]));
const diesInRefunds = inTurn(...REFUND_STEPS.flatMap((step) => [...diesAt(step), redisIsLost]));
const calm = inTurn(events(), failing(0));

const { moments, retreat } = onSale;
const anchors = { ...moments, began: moments.opens };
/** When the first letter with the way in is sent, and those on the following days. */
const [eve = 0, first = 0, second = 0, third = 0] = retreat.wayIn.map(({ from }) => from);

const scene = (when: When | number, name: string, ...acts: readonly Act[]): Scene => ({
  at: typeof when === 'number' ? when : momentOf(when, anchors),
  name,
  play: inTurn(...acts),
});

/** What goes wrong in the year, and when: around the moments of the balance most of all. */
export const SCENES: readonly Scene[] = [
  scene('opens+2d', 'Stripe fails now and then', failing(LIGHT)),
  scene('opens+3d', 'app and worker die', together(appDies, diesAtMail)),
  scene('opens+4d', 'events come twice', events('doubled')),
  scene('opens+6d', 'events come in the wrong order', events('reversed')),
  scene(
    ...(['notice', 'the worker dies in the notices, the mail server is slow'] as const),
    diesAtMail,
    mails('smtp-slow', 3_000),
    mails('smtp-cuts'),
  ),
  scene('notice+2d', 'Redis dies', redisDies),
  scene('notice+122h', 'the worker dies in the refunds', diesInRefunds),
  scene(
    ...(['reminder', 'Redis hangs, the mail server refuses for now'] as const),
    together(strikes('redis-frozen', { lastsMs: 3_000 }), mails('smtp-4xx')),
  ),
  scene('charge-5h', 'no mail server, no events', noMailServer, events('lost')),
  scene(
    ...(['charge', 'everything at the due minute'] as const),
    failing(HEAVY),
    ...diesAt('confirm'),
    redisIsLost,
    diesInCharges,
    besideAnother(inTurn(...diesAt('confirm'))),
    failing(LIGHT),
  ),
  scene('charge+20h', 'the mail server is back', mailServerIsBack, events()),
  scene(
    ...(['charge+26h', 'the worker dies in the second tries'] as const),
    together(...diesAt('confirm'), appDies),
    redisIsLost,
  ),
  scene(
    ...(['charge+29h', 'the worker dies in more refunds, beside another'] as const),
    failing(HEAVY),
    besideAnother(diesInRefunds),
    failing(LIGHT),
  ),
  scene('charge+3d', 'the mail server cuts', mails('smtp-cuts')),
  scene('charge+5d', 'events come in the wrong order', events('reversed')),
  scene('charge+10d', 'the worker dies in a late charge', ...diesAt('create')),
  scene('charge+12d', 'Redis dies', redisDies),
  scene('charge+16d', 'events come twice', events('doubled')),
  scene('charge+20d', 'all is calm', calm),
  scene(
    ...([retreat.testSession.from, 'the worker dies in the letters about the test session'] as const),
    diesAtMail,
    mails('smtp-cuts'),
  ),
  scene(eve, 'Redis dies while the way in is told', together(redisDies, diesAtMail)),
  scene(first, 'Stripe fails now and then, events come twice', failing(LIGHT), events('doubled')),
  scene(second, 'two workers, and one dies', besideAnother(diesAtMail)),
  scene(third, 'Redis is lost', redisIsLost),
  scene(third + 12 * HOUR_MS, 'all is calm', calm),
  scene(
    retreat.recordings ?? moments.ends,
    'the worker dies in the letters about the recordings',
    diesAtMail,
  ),
];

/** The same for a small year. */
export const FEW_SCENES: readonly Scene[] = [
  scene('opens+2d', 'Stripe fails now and then, events come twice', failing(FEW), events('doubled')),
  scene('notice', 'the worker dies in the notices, Redis is lost', diesAtMail, redisIsLost),
  scene('charge-5h', 'no mail server, no events', noMailServer, events('lost')),
  scene(
    ...(['charge', 'much at the due minute'] as const),
    ...diesAt('confirm').flatMap((act) => [act, redisIsLost]),
  ),
  scene(
    ...(['charge+20h', 'the mail server is back, events come in the wrong order'] as const),
    mailServerIsBack,
    events('reversed'),
  ),
  scene('charge+29h', 'the worker dies in the refunds', diesInRefunds),
  scene('charge+2d', 'all is calm', calm),
  scene(
    ...([retreat.testSession.from, 'the worker dies in the letters about the test session'] as const),
    diesAtMail,
    redisIsLost,
  ),
  scene(eve, 'the mail server cuts while the way in is told', mails('smtp-cuts')),
];
