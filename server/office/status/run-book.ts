import type { RegisterCounts } from '#server/register/register-counts.ts';

/** What the run-book says about a problem. `code` is between backticks, as there. */
export interface Advice {
  /** The heading in `server/ops/run-book.md` or `registrants.md`. */
  section: string;
  /** What it means for visitors and registrants. */
  means: string;
  act: readonly string[];
}

const REDIS = {
  section: 'Redis is full or away',
  means: 'Registrations go on; mails are owed until it is back.',
} as const;

/**
 * What the status page quotes from `server/ops/run-book.md` and `registrants.md`, which are not at hand where the site
 * runs. A test finds each of these sentences in its section there.
 */
export const runBook = {
  register: {
    section: 'The register cannot be written',
    means: 'Nobody can register, pay, cancel or join a waiting list until it can.',
    act: [
      'The log says why, as `The register cannot be written`: the disk is full or read-only, the file belongs to another user, or PostgreSQL is away.',
      'Both processes go on by themselves once it can be written.',
    ],
  },
  copies: {
    section: 'The register is not copied',
    means: 'If its disk is lost now, what came since the newest copy is lost.',
    act: [
      'The worker’s log says why, as `The register could not be copied`; without `BACKUP_DIR` there are no copies.',
    ],
  },
  redisAway: {
    ...REDIS,
    act: [
      'If it is away, `docker compose logs redis` tells why, and `docker compose restart redis` starts it again.',
      'With sentinels or a managed Redis, see Redis fails over.',
    ],
  },
  redisFull: {
    ...REDIS,
    act: [
      '`docker compose exec redis redis-cli info memory` shows how full it is.',
      'Sent mails go after thirty days (where nobody has paid, after a day), failed ones stay: look at them, or raise `maxmemory` and `mem_limit` in `docker-compose.yml`.',
    ],
  },
  stripe: {
    section: 'Stripe is down',
    means:
      'visitors read `An unexpected error occurred` and the office’s number; when they press again later, they go on where they were.',
    act: [
      'Nothing needs to be done.',
      'Unless its answers are 401 or 403: then the key is no longer good, so rotate it',
    ],
  },
  paused: {
    section: 'Mails fail',
    means: 'Until then nobody gets a letter, and registrations go on; nothing is lost.',
    act: ['resume it on `/queues` once that is over'],
  },
  waiting: {
    section: 'Mails fail',
    means: 'mails only wait',
    act: ['nothing: they go out when the mail server is back'],
  },
  failed: {
    section: 'Mails fail',
    means: 'Failed mails stay until somebody acts: whom they were for has not heard.',
    act: [
      '`list --failed` shows what the mail server said.',
      'a wrong address, also of a mail that bounced after it was accepted: `edit ID --email ADDRESS`',
      'it should not be sent at all: `dismiss`',
      'the provider refuses: solve it there, then `retry --all`',
    ],
  },
  worker: {
    section: 'No worker is there',
    means:
      'Nobody gets a letter, no balance is charged and nothing is given back; a worker that returns catches up.',
    act: [
      '`docker compose logs worker` tells why it is gone, and `docker compose restart worker` starts it again.',
    ],
  },
  restored: {
    section: 'The register was restored',
    means: 'No letter, charge or refund goes out.',
    act: [
      '`support restored --dry-run` lists what Stripe knew that the copy did not; read it with the office.',
      '`support restored --by NAME` confirms it.',
    ],
  },
  dueWork: {
    section: 'What is due is late',
    means: 'Charges and refunds wait, and so do letters that time alone makes due.',
    act: [
      'If a worker is there, its log says `Not all that is due could be done`, and why.',
      '`walk` asks for it now.',
    ],
  },
  clock: {
    section: 'What is due is late',
    means:
      'While the worker’s clock differs from Stripe’s by more than ten minutes, no charge and no refund is made.',
    act: ['Synchronize the clock of its machine with a time server.'],
  },
  attention: {
    section: 'What is due',
    means: 'payments that were made for this site and whose payer cannot be welcomed',
    act: ['Look at them in Stripe’s dashboard, then run `support looked-at PAYMENT_INTENT`.'],
  },
  refunds: {
    section: 'A refund fails',
    means: 'Her bank did not take it back, such as to a card that is closed, and Stripe returned the sum.',
    act: [
      'The office’s digest names her with `check to send`: send it, and record it with `refund-by-check`.',
    ],
  },
  room: {
    section: 'The video room',
    means: 'the letters about the test session and the way in wait, and no page leads to the room.',
    act: ['The office gives its address under Messages, or `announce-room EDITION URL --by NAME` does'],
  },
  app: {
    section: 'The app is slow or short of memory',
    means: 'Visitors wait; at the limit of its memory the container is killed and started again.',
    act: [
      'If requests have grown, run more of each, else raise `mem_limit` in `docker-compose.yml`; `docker compose restart app` helps until then.',
    ],
  },
  requests: {
    section: 'Requests fail',
    means: 'Visitors read `An unexpected error occurred`, and can try again.',
    act: ['The app’s log has each as `request failed`, with its cause; while Stripe is down they fail too.'],
  },
  signIn: {
    section: 'Passwords are being guessed',
    means:
      'After too many wrong passwords an address has to wait, even with the right one; others sign in as ever.',
    act: [
      'Once is somebody who forgot hers, or Prometheus with an old password.',
      'If it goes on, the proxy’s log has the address: block it there.',
    ],
  },
  limits: {
    section: 'Cards are being tried out',
    means: '`registrations_refused_total` grows',
    act: [
      'Lower `RATE_LIMIT_PER_ADDRESS` and `RATE_LIMIT_OVERALL`, look at Stripe’s Radar, and if it goes on set `REGISTRATION=closed` for an hour.',
    ],
  },
} as const satisfies Record<string, Advice>;

export type OverdueReason = RegisterCounts['overdue'][number]['reason'];

const overdue = (means: string, act: string): Advice => ({
  section: 'Balances are overdue',
  means,
  act: [act],
});
const over = overdue('the retreat is over: nothing more is charged', 'write to her');
const askedToPay = overdue(
  'it is not on record that she agreed, or that a letter told her in time',
  'she is asked to pay by letter; or `postpone` it, then a letter tells her',
);

/** The advice for an overdue balance, by the reason why it is not charged. */
export const overdueAdvice: Record<OverdueReason, Advice> = {
  waiting: overdue(
    'nothing keeps it from being charged',
    'nothing: the worker charges it within a minute, or a quarter of an hour after a failure; if it stays, read the log',
  ),
  paying: overdue(
    'she began to pay on her page',
    'nothing: after half an hour it is charged, if she has not paid',
  ),
  declined: overdue(
    'her card was refused; she got a letter, and may be tried again',
    'wait; `charge` tries sooner; or call her, and send her `link`',
  ),
  unreachable: overdue(
    'letters to her come back, so nothing could tell her of the charge',
    'call her; `edit --email` with an address that works, or `address-works`',
  ),
  'no-consent': askedToPay,
  'no-notice': askedToPay,
  'no-card': overdue('there is no card on file', 'send her `link`: she can pay, or give a card'),
  'plan-paused': overdue('her payment plan is paused', 'arrange with her how it goes on, and `plan`'),
  'plan-not-agreed': overdue(
    'she has not agreed to her payment plan, and was asked to pay',
    'call her: she agrees on her page, or `plan-agreed` records it',
  ),
  check: overdue('she pays by check, which has not come', '`received`, or `withdraw check`'),
  disputed: overdue(
    'she disputes a charge: nothing is charged automatically',
    'paste what `evidence` prints into Stripe’s dashboard, and once her bank has decided, `dispute-over`',
  ),
  'deposit-refunded': overdue(
    'her deposit went back to her, and she has not cancelled',
    '`cancel` if she does not come; else arrange it with her',
  ),
  over,
  'too-late': over,
};
