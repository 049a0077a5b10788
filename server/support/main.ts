import { Queue } from 'bullmq';
import * as v from 'valibot';
import type { ActContext } from '#server/acts/act-context.ts';
import { printable } from '#server/acts/printable.ts';
import { Refusal, type RefusalReason } from '#server/acts/refusal.ts';
import { secrets } from '#server/config/environment-values.ts';
import { readVariable } from '#server/config/secret-files.ts';
import { DEFAULT_MAIL_PER_SECOND } from '#server/config/variables.ts';
import type { Database } from '#server/database/database.ts';
import { causeOf } from '#server/http/app-error.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { MessageContext } from '#server/letters/render/links.ts';
import { createOwnPageLinks } from '#server/links/own-page-links.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { askForDueWork, dueWorkQueue } from '#server/register/due-work-queue.ts';
import { createRegistrationList } from '#server/register/registration-list.ts';
import type { Admission } from '#server/register/waiting-list.ts';
import { openClock } from '#server/service/clock.ts';
import { createLogger } from '#server/service/logger.ts';
import { readCommand, USAGE } from './commands.ts';
import { readRedisSettings, withRedis } from './connect-redis.ts';

/** The exit codes of the program. */
const EXIT_CODES = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  noSuchMail: 3,
  wrongState: 4,
  redisAway: 5,
} as const satisfies Record<RefusalReason | 'done', number>;

const HELP = ['help', '--help', '-h'];

/** Placeholders for composing a mail: no subject uses them. */
const NOBODY = {
  office: { email: 'office@site.invalid', phone: '' },
  siteUrl: 'https://site.invalid',
  links: {
    url: () => 'https://site.invalid/',
    confirmUrl: () => 'https://site.invalid/',
    endUrl: () => 'https://site.invalid/',
    takeUrl: () => 'https://site.invalid/',
  },
  waitingLinks: {
    confirmUrl: () => 'https://site.invalid/',
    leaveUrl: () => 'https://site.invalid/',
    offerUrl: () => 'https://site.invalid/',
  },
};

const linkSecrets = secrets('the secret that links to registrations are made with');

/** The mail queue on a connection. */
function openJobs(redis: RedisClient): ActContext {
  const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  queue.on('error', () => {
    // The command that fails because of it reports the error.
  });
  return {
    queue,
    redis,
    readingOf(mail) {
      const { subject, text, html } = composeMessage(mail, readableContext());
      return { subject, text, html };
    },
    nameOf: (id) => id,
    list: async (edition) => createRegistrationList(await openRegister()).list(edition),
    openRecord,
    openLetterLog,
    openAdmission,
    openLinks,
    now: readClock,
    mailPerSecond: Number(readVariable(process.env, 'MAIL_PER_SECOND') ?? DEFAULT_MAIL_PER_SECOND),
    async askForDueWork() {
      const dueWork = dueWorkQueue(redis);
      dueWork.on('error', () => {
        // The command that fails because of it reports the error.
      });
      await askForDueWork(dueWork);
    },
  };
}

/**
 * The placeholders, replaced where values are configured here, so that a preview shows the letter as it will be sent.
 */
function readableContext(): MessageContext {
  const [email, phone, siteUrl] = ['OFFICE_EMAIL', 'OFFICE_PHONE', 'PUBLIC_URL'].map((name) =>
    readVariable(process.env, name),
  );
  return {
    ...NOBODY,
    office: { email: email ?? NOBODY.office.email, phone: phone ?? NOBODY.office.phone },
    ...(siteUrl && { siteUrl }),
  };
}

/** Opens the record of the registrations. The SDK is loaded only by the few commands that need it. */
async function openRecord() {
  const secretKey = readVariable(process.env, 'STRIPE_SECRET_KEY');
  const apiBase = readVariable(process.env, 'STRIPE_API_BASE');
  if (!secretKey) throw new Error('STRIPE_SECRET_KEY is missing: the registration is looked up at Stripe.');
  const { createPayments } = await import('#server/payments/payments.ts');
  const { FOR_VISITORS } = await import('#server/payments/patient-client.ts');
  return createPayments({ secretKey, apiBase, patience: FOR_VISITORS }, await openRegister());
}

let database: Database | undefined;

/** Opens the register's database, which is closed when the program ends. */
async function openRegister(): Promise<Database> {
  const url = readVariable(process.env, 'DATABASE_URL');
  if (!url)
    throw new Error('DATABASE_URL is missing: places, letters and the waiting list are in the database.');
  const { openDatabase } = await import('#server/database/database.ts');
  database ??= openDatabase(url);
  return database;
}

async function openLetterLog(): Promise<LetterLog> {
  const { createLetterLog } = await import('#server/mail/letter-log.ts');
  return createLetterLog(await openRegister());
}

async function openAdmission(): Promise<Admission> {
  const { createAdmission } = await import('#server/register/waiting-list.ts');
  const [payments, now] = [await openRecord(), await readClock()];
  return createAdmission({ database: await openRegister(), payments, now: () => now });
}

/** Makes links to registrants' pages, in the same way as app and worker. */
async function openLinks() {
  const [publicUrl, secret] = ['PUBLIC_URL', 'LINK_SECRET'].map((name) => readVariable(process.env, name));
  if (!publicUrl || !secret)
    throw new Error('PUBLIC_URL or LINK_SECRET is missing: links are made with them.');
  return createOwnPageLinks(v.parse(linkSecrets, secret), publicUrl);
}

/** The time by the clock of app and worker: with the payment sandbox that clock may have been moved. */
async function readClock(): Promise<Date> {
  const apiBase = readVariable(process.env, 'STRIPE_API_BASE');
  const [clockName, mode] = ['CLOCK', 'NODE_ENV'].map((name) => readVariable(process.env, name));
  const url =
    clockName === 'sandbox' && mode !== 'production' && apiBase
      ? new URL('/sandbox/clock', apiBase).href
      : undefined;
  const clock = await openClock(url, createLogger('support', 'silent'));
  clock.close();
  return clock.now();
}

/** Carries out one command, and returns the exit code of the process. */
async function run(words: readonly string[]): Promise<number> {
  try {
    if (HELP.includes(words[0] ?? '')) {
      process.stdout.write(USAGE);
      return EXIT_CODES.done;
    }
    const work = readCommand(words);
    const told = await work((act) =>
      withRedis(readRedisSettings(process.env), (redis) => act(openJobs(redis))),
    );
    process.stdout.write(`${told}\n`);
    return EXIT_CODES.done;
  } catch (error) {
    process.stderr.write(`${printable(causeOf(error).message)}\n`);
    const reason = error instanceof Refusal ? error.reason : 'failed';
    if (reason === 'wrongUsage') process.stderr.write(`\n${USAGE}`);
    return EXIT_CODES[reason];
  } finally {
    await database?.close();
  }
}

// In `support list | head`, head closes the pipe early.
process.stdout.on('error', () => process.exit());

// Support's command line: `node dist/support.js COMMAND …`, or `npm run support -- COMMAND …`.
process.exitCode = await run(process.argv.slice(2));
