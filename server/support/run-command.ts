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
  isLeft: 6,
} as const satisfies Record<RefusalReason | 'done' | 'isLeft', number>;

const HELP = ['help', '--help', '-h'];

const url = (): string => 'https://site.invalid/';

/** Placeholders for composing a mail: no subject uses them. */
const NOBODY = {
  office: { email: 'office@site.invalid', phone: '' },
  siteUrl: 'https://site.invalid',
  links: { url, confirmUrl: url, endUrl: url, takeUrl: url },
  waitingLinks: { confirmUrl: url, leaveUrl: url, offerUrl: url },
};

const linkSecrets = secrets('the secret that links to registrations are made with');

/** What a command works with, each opened when it is first needed, as the environment says. */
function openContext(env: NodeJS.ProcessEnv) {
  const read = (name: string): string | undefined => readVariable(env, name);
  let database: Database | undefined;

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
      mailPerSecond: Number(read('MAIL_PER_SECOND') ?? DEFAULT_MAIL_PER_SECOND),
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
   * The placeholders, replaced where values are configured here, so that a preview shows the letter as it will be
   * sent.
   */
  function readableContext(): MessageContext {
    const [email, phone, siteUrl] = ['OFFICE_EMAIL', 'OFFICE_PHONE', 'PUBLIC_URL'].map(read);
    return {
      ...NOBODY,
      office: { email: email ?? NOBODY.office.email, phone: phone ?? NOBODY.office.phone },
      ...(siteUrl && { siteUrl }),
    };
  }

  /** Opens the record of the registrations. The SDK is loaded only by the few commands that need it. */
  async function openRecord() {
    const [secretKey, apiBase] = ['STRIPE_SECRET_KEY', 'STRIPE_API_BASE'].map(read);
    if (!secretKey) throw new Error('STRIPE_SECRET_KEY is missing: the registration is looked up at Stripe.');
    const { createPayments } = await import('#server/payments/payments.ts');
    const { FOR_VISITORS } = await import('#server/payments/patient-client.ts');
    return createPayments({ secretKey, apiBase, patience: FOR_VISITORS }, await openRegister());
  }

  async function openRegister(): Promise<Database> {
    const where = read('DATABASE_URL');
    if (!where)
      throw new Error('DATABASE_URL is missing: places, letters and the waiting list are in the database.');
    const { openDatabase } = await import('#server/database/database.ts');
    database ??= openDatabase(where);
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
    const [publicUrl, secret] = ['PUBLIC_URL', 'LINK_SECRET'].map(read);
    if (!publicUrl || !secret)
      throw new Error('PUBLIC_URL or LINK_SECRET is missing: links are made with them.');
    return createOwnPageLinks(v.parse(linkSecrets, secret), publicUrl);
  }

  /** The time by the clock of app and worker: with the payment sandbox that clock may have been moved. */
  async function readClock(): Promise<Date> {
    const [apiBase, clockName, mode] = ['STRIPE_API_BASE', 'CLOCK', 'NODE_ENV'].map(read);
    const isMovable = clockName === 'sandbox' && mode !== 'production';
    const clockUrl = isMovable && apiBase ? new URL('/sandbox/clock', apiBase).href : undefined;
    const clock = await openClock(clockUrl, createLogger('support', 'silent'));
    clock.close();
    return clock.now();
  }

  return { openJobs, close: async () => database?.close() };
}

/** Carries out one command: the exit code of the program, and what it prints. */
export async function runCommand(words: readonly string[], env: NodeJS.ProcessEnv) {
  if (HELP.includes(words[0] ?? '')) return { code: EXIT_CODES.done, out: USAGE, err: '' };
  const { openJobs, close } = openContext(env);
  try {
    const work = readCommand(words);
    const told = await work((act) => withRedis(readRedisSettings(env), (redis) => act(openJobs(redis))), env);
    const { text, isLeft } = typeof told === 'string' ? { text: told, isLeft: false } : told;
    return { code: EXIT_CODES[isLeft ? 'isLeft' : 'done'], out: `${text}\n`, err: '' };
  } catch (error) {
    const reason = error instanceof Refusal ? error.reason : 'failed';
    const usage = reason === 'wrongUsage' ? `\n${USAGE}` : '';
    return { code: EXIT_CODES[reason], out: '', err: `${printable(causeOf(error).message)}\n${usage}` };
  } finally {
    await close();
  }
}
