import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import * as v from 'valibot';
import { type ActContext, Refusal, type RefusalReason, wrongUsage } from '#server/acts/act.ts';
import { printable } from '#server/acts/words.ts';
import { redisUrl, secrets } from '#server/config/environment-values.ts';
import { readEnvironment, readVariable } from '#server/config/read-environment.ts';
import { DEFAULT_MAIL_PER_SECOND } from '#server/config/variables.ts';
import type { Database } from '#server/database/database.ts';
import { causeOf } from '#server/http/app-error.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { MessageContext } from '#server/letters/render/parts.ts';
import { createOwnPageLinks } from '#server/links/links.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/job.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { queueOn } from '#server/redis/connect-redis.ts';
import { askForDueWork, dueWorkQueue } from '#server/register/due-work-queue.ts';
import { createRegistrationList } from '#server/register/registration-list.ts';
import type { Admission } from '#server/register/waiting-list.ts';
import { openClock } from '#server/service/clock.ts';
import { createLogger } from '#server/service/logger.ts';
import { TimeoutError, withTimeout } from '#server/service/work.ts';
import { actCommands } from './act-commands.ts';
import type { Command } from './command.ts';
import { launchCheckCommand } from './launch-check.ts';
import { bookkeepingCommand, moveRegisterCommand, supportCommands } from './support-commands.ts';
import { userCommand } from './user-command.ts';

/** How long Redis may take to accept a connection, and then to answer each command. */
const TIMEOUT_MS = 2_000;

/** How long disconnecting may take; no command is in flight by then. */
const DISCONNECT_TIMEOUT_MS = 100;

/** @throws {Refusal} when the environment does not say where Redis is */
export function readRedisUrl(env: NodeJS.ProcessEnv): string {
  const { output, problems } = readEnvironment(v.object({ REDIS_URL: redisUrl }), env);
  if (!output) throw new Refusal('failed', `${problems.join('.\n')}.`);
  return output.REDIS_URL;
}

/**
 * Does some work with a connection that never waits for a Redis that is unavailable or hangs.
 * @throws {Refusal} when Redis is unavailable, or becomes unavailable during the work
 */
export async function withRedis<Result>(
  url: string,
  work: (redis: Redis) => Promise<Result>,
): Promise<Result> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: unknown;
  redis.on('error', (error) => {
    problem = error;
  });
  try {
    const gone = untilClosed(redis);
    await withTimeout(Promise.race([redis.connect(), gone]), TIMEOUT_MS);
    return await Promise.race([work(redis), gone]);
  } catch (error) {
    if (error instanceof Refusal || (redis.status === 'ready' && !wasTooLate(error))) throw error;
    throw away(url, problem ?? error);
  } finally {
    redis.disconnect();
  }
}

async function untilClosed(redis: Redis): Promise<never> {
  await new Promise((resolve) => redis.once('close', resolve));
  throw new Error('the connection was lost');
}

function wasTooLate(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof Error && error.message === 'Command timed out');
}

/** The error for an unavailable Redis, which it names without its password. */
function away(url: string, error: unknown): Refusal {
  const said = error instanceof Error ? error.message : String(error);
  const words = wasTooLate(error) ? `No answer within ${TIMEOUT_MS} ms` : said;
  const { host } = new URL(url);
  return new Refusal('redisAway', `Redis at ${host} cannot be used: ${words.replace(/\.+$/, '')}.`, {
    cause: error,
  });
}

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
  function openJobs(redis: Redis): ActContext {
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
      openPayments,
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
  async function openPayments() {
    const [secretKey, apiBase] = ['STRIPE_SECRET_KEY', 'STRIPE_API_BASE'].map(read);
    if (!secretKey) throw new Error('STRIPE_SECRET_KEY is missing: the registration is looked up at Stripe.');
    const { createPayments } = await import('#server/payments/payments.ts');
    return createPayments({ secretKey, apiBase }, await openRegister());
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
    const [payments, now] = [await openPayments(), await readClock()];
    return createAdmission({ database: await openRegister(), payments, now: () => now });
  }

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
    const told = await work((act) => withRedis(readRedisUrl(env), (redis) => act(openJobs(redis))), env);
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

/** All commands of the program, in the order of its usage text. */
const COMMANDS: readonly Command[] = [
  ...supportCommands,
  ...actCommands,
  bookkeepingCommand,
  userCommand,
  moveRegisterCommand,
  launchCheckCommand,
];

export const USAGE = `Usage: support COMMAND …

${COMMANDS.map(({ usage }) => usage).join('\n')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail or registration, 4 not possible in its state, 5 Redis not available,
6 something is left before launch.
`;

/**
 * Parses the arguments after the program's name.
 * @returns a function that carries out the command, and returns the text to be printed
 * @throws {Refusal} when they are not a valid command
 */
export function readCommand(words: readonly string[]): ReturnType<Command['read']> {
  const [first, ...rest] = words;
  if (!first) throw wrongUsage('A command is missing');
  const asked = COMMANDS.findLast(({ name }) => {
    const [verb, ...flags] = name.split(' ');
    return verb === first && flags.every((one) => rest.includes(one));
  });
  if (!asked) throw wrongUsage(`There is no command ${first}`);
  return asked.read(rest);
}
