import type { IRouter } from 'express';
import { COPY_LATE_S } from '#server/database/copies.ts';
import { measureInTime } from '#server/letters/queue-metrics.ts';
import type { Office } from '#server/office/office.ts';
import { LinkLine, Moment } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { withTimeout } from '#server/ops/work.ts';
import { readHold } from '#server/registration/registration.ts';
import { causeOf } from '#server/web/app-error.ts';
import { readLastDueWork } from '#server/worker/due-work.ts';
import { needsRoom } from '#server/worker/office-needs.ts';
import { countRegister } from '#server/worker/registration-index.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

interface Trouble {
  what: string;
  since?: Date | undefined;
  /** What mends it; commands are between backticks. */
  mend: string;
  page?: string;
}

const TIMEOUT_MS = 1_000;
/** The thresholds of the alerts. */
const OLDEST_MAIL_S = 900;
const DUE_WORK_LATE_MS = 2_700_000;
const REDIS_FULL = 0.9;

/** `GET /office/status`, for support: while Redis or the register hangs, it answers after a second. */
export function addStatusPage(router: IRouter, office: Office): void {
  const { send, mailQueue, registerProbe, payments, logger } = office;
  const inTime = <Value,>(asked: string, answer: Promise<Value>) =>
    withTimeout(answer, TIMEOUT_MS).catch((error: unknown) => {
      logger.warn({ err: causeOf(error), asked }, 'The status page got no answer');
      return undefined;
    });
  router.get(officePaths.status, async (_req, res) => {
    const [inRegister, inRedis] = await Promise.all([
      inTime('register', troublesInRegister(office)),
      inTime('Redis', troublesInRedis(office)),
    ]);
    const troubles = [
      (!inRegister || !registerProbe.isWritable()) && {
        what: 'The register cannot be used: nobody can register, pay or cancel',
        since: registerProbe.awaySince(),
        mend: '`docker compose logs app` says whether its disk is full or PostgreSQL is away. Both processes go on by themselves.',
      },
      !inRedis && {
        what: 'Redis does not answer: messages are owed, and nobody knows here whether the worker is there',
        since: mailQueue.awaySince(),
        mend: '`docker compose restart redis`; `docker compose logs redis` says why it went.',
      },
      payments.awaySince() !== undefined && {
        what: 'Stripe does not answer: visitors cannot pay',
        since: payments.awaySince(),
        mend: 'Nothing, if status.stripe.com knows of it; else look at the network of this machine.',
      },
      ...(inRedis ?? []),
      ...(inRegister ?? []),
    ];
    send(res, 200, 'Status', <StatusPage troubles={troubles.filter((one) => one !== false)} />);
  });
}

async function troublesInRedis({ redis, mailQueue }: Office) {
  if (!mailQueue.isReady()) return undefined;
  const [mails, [oldestFailed], workers, dueWork, memory] = await Promise.all([
    measureInTime(mailQueue),
    mailQueue.bullQueue.getJobs(['failed'], 0, 0, true),
    mailQueue.bullQueue.getWorkersCount(),
    readLastDueWork(redis),
    redis.info('memory'),
  ]);
  if (!mails) return undefined;
  const { failed = 0 } = mails.jobs;
  const isAway = workers === 0;
  const doneAt = dueWork && new Date(dueWork.endedAt);
  const isLate = !doneAt || Date.now() - doneAt.getTime() > DUE_WORK_LATE_MS;
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1]);
  // Without a limit, `maxmemory` is 0.
  const usedShare = bytesOf('used_memory') / (bytesOf('maxmemory') || Number.POSITIVE_INFINITY);
  return [
    (isAway || isLate) && {
      what: isAway
        ? 'The worker is away: no message, charge or refund goes out'
        : 'What is due is not done: charges and refunds wait',
      since: doneAt,
      mend: '`docker compose restart worker`; `docker compose logs worker` says why.',
    },
    dueWork?.clockAheadS !== undefined && {
      what: `The worker’s clock is ${Math.round(Math.abs(dueWork.clockAheadS) / 60)} minutes wrong: no money moves`,
      since: doneAt,
      mend: '`timedatectl set-ntp true` on its machine.',
    },
    mails.oldestSeconds > OLDEST_MAIL_S && {
      what: 'Messages wait: the mail server or the worker is away, or they are refused',
      since: new Date(Date.now() - mails.oldestSeconds * 1000),
      mend: '`docker compose logs worker` has its answer. They go out once it takes them.',
    },
    failed > 0 && {
      what: `${failed} ${failed === 1 ? 'message' : 'messages'} failed for good`,
      since: new Date(oldestFailed?.finishedOn ?? Date.now()),
      mend: 'Correct what the answers name, then try them again: `support retry --all`.',
      page: officePaths.letters,
    },
    usedShare > REDIS_FULL && {
      what: 'Redis is nearly full: then messages are only owed',
      mend: 'Raise `maxmemory` and `mem_limit` in docker-compose.yml.',
    },
  ] satisfies (Trouble | false)[];
}

async function troublesInRegister({ database, now, editions }: Office) {
  const { attention } = await countRegister(database);
  const rooms = await Promise.all(editions.map((one) => needsRoom(database, one, now())));
  const overdue = await database.read((transaction) =>
    transaction
      .selectFrom('registrationIndex')
      // A payment that is on its way, and a check in the post, need nobody.
      .where('overdue', 'not in', ['paying', 'check'])
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('dueAt').as('sinceAt')])
      .executeTakeFirstOrThrow(),
  );
  const { copiedAt, hold } = await database.read(async (transaction) => ({
    ...(await transaction.selectFrom('register').select('copiedAt').executeTakeFirstOrThrow()),
    hold: await readHold(transaction),
  }));
  return [
    hold !== undefined && {
      what: `The register is held: no message, charge or refund goes out. ${hold.why}`,
      since: hold.since,
      mend: '`support release --by NAME --dry-run` lists who was added from Stripe; `support release --by NAME` ends it.',
    },
    database.engine === 'sqlite' &&
      Date.now() - (copiedAt?.getTime() ?? 0) > COPY_LATE_S * 1000 && {
        what: 'The register is not copied: what is new would be lost with its disk',
        since: copiedAt ?? undefined,
        mend: '`docker compose logs worker` says why; most often the disk of `BACKUP_DIR` is full.',
      },
    attention > 0 && {
      what: `${attention} ${attention === 1 ? 'payment needs' : 'payments need'} a person: who paid cannot be welcomed`,
      mend: '`docker compose logs worker` names them; then `support act ID looked-at --by NAME`.',
    },
    overdue.count > 0 && {
      what: `${overdue.count} ${overdue.count === 1 ? 'balance is' : 'balances are'} overdue`,
      since: overdue.sinceAt ?? undefined,
      mend: 'The page of each says why it is not charged, and what can be done.',
      page: `${officePaths.list}?show=late`,
    },
    rooms.includes(true) && {
      what: 'Nobody has said where the video room is: messages wait for it',
      mend: 'Say where it is.',
      page: officePaths.letters,
    },
  ] satisfies (Trouble | false)[];
}

function StatusPage({ troubles }: { troubles: readonly Trouble[] }) {
  return (
    <>
      <p className="lede">{troubles.length === 0 ? 'All is well.' : 'Something is wrong.'}</p>
      <p>
        Looked at on <Moment at={new Date()} record={{ edition }} />.{' '}
        <a href={officePaths.status}>Look again</a>
      </p>
      {troubles.map(({ what, since, mend, page }) => (
        <section key={what} className="trouble">
          <h2>{what}</h2>
          {since && (
            <p>
              Since <Moment at={since} record={{ edition }} />.
            </p>
          )}
          <p>
            {mend
              .split('`')
              .map((words, index) => (index % 2 === 0 ? words : <code key={words}>{words}</code>))}
          </p>
          {page && <LinkLine to={page}>Open that page</LinkLine>}
        </section>
      ))}
    </>
  );
}
