import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import * as v from 'valibot';
import { noLimits } from '#scripts/product/environment.ts';
import { type AcceptedMail, startMailServer } from '#scripts/product/mail-server.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import {
  connect,
  type Event,
  type Fault,
  type Intercept,
  startSandbox,
} from '#scripts/stripe-sandbox/sandbox.ts';
import type { Random } from '#server/testing/random.ts';
import { moments } from './moments.ts';
import { watchQuiet } from './watch-quiet.ts';

/** A letter is composed this long at most before the mail server has all of it, also a slow one and on a busy machine. */
const IN_FLIGHT_MS = 15_000;
const REST_MS = 240_000;
const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];
const GATHER_MS = 400;
const LATE_MS = 800;

/** A mail that was accepted: `at` in business time, before which it was under way since `since`. */
export interface DatedMail extends AcceptedMail {
  at: number;
  since: number;
  kind: string;
  registration: string;
}

/** A payment that succeeded, in business time. */
interface Success {
  id: string;
  registration: string;
  /** 0 is the deposit. */
  number: number;
  cents: number;
  at: number;
  withoutHer: boolean;
}

/** What is under way when a fault strikes, and not answered yet. */
export type Instant = 'mail' | 'consent' | 'deposit' | 'confirm' | 'refund';

export type Site = Awaited<ReturnType<typeof openSite>>;

const paymentSchema = v.object({
  id: v.string(),
  amount_received: v.number(),
  metadata: v.object({
    registration: v.string(),
    kind: v.string(),
    number: v.optional(v.pipe(v.string(), v.transform(Number)), '0'),
  }),
});

/** Starts the built product with a Redis, a stand-in for Stripe and a mail server of its own, on the edition's first day. */
export async function openSite({ folder, build, random }: { folder: string; build: string; random: Random }) {
  const instants = new EventEmitter();
  const mails: DatedMail[] = [];
  const successes: Success[] = [];
  /** Which payments were confirmed last without her. */
  const withoutHer = new Set<string>();
  const webhooks: {
    trouble: 'lost' | 'doubled' | 'reversed' | undefined;
    gathered: ((times: number) => void)[];
  } = {
    trouble: undefined,
    gathered: [],
  };
  /** Which share of the requests to Stripe fails. */
  const stripeFails = { share: 0 };

  const note = ({ type, data }: Event): void => {
    if (type !== 'payment_intent.succeeded') return;
    const { id, amount_received: cents, metadata } = v.parse(paymentSchema, data.object);
    const { registration, number } = metadata;
    successes.push({
      id,
      registration,
      number,
      cents,
      at: sandbox.clock.now(),
      withoutHer: withoutHer.has(id),
    });
  };
  const deliver = (event: Event): Promise<number> | number => {
    note(event);
    if (webhooks.trouble === 'lost') return 0;
    if (webhooks.trouble !== 'reversed') return webhooks.trouble === 'doubled' ? 2 : 1;
    if (webhooks.gathered.length === 0) setTimeout(sendReversed, GATHER_MS);
    return new Promise((resolve) => webhooks.gathered.unshift(resolve));
  };
  const sendReversed = (): void => {
    for (const [place, send] of webhooks.gathered.splice(0).entries()) setTimeout(() => send(1), place);
  };
  const intercept: Intercept = ({ method, path, parameters, keyKind }) => {
    const [, id] = /^\/v1\/payment_intents\/(pi_\w+)\/confirm$/.exec(path) ?? [];
    const isOffSession = Reflect.get(Object(parameters), 'off_session') === 'true';
    if (id !== undefined) withoutHer[isOffSession ? 'add' : 'delete'](id);
    if (keyKind === 'publishable') return undefined;
    if (id !== undefined && isOffSession) instants.emit('confirm');
    if (method === 'POST' && path === '/v1/refunds') instants.emit('refund');
    if (method === 'POST' && path === '/v1/payment_intents') instants.emit('deposit');
    return random() < stripeFails.share ? drawFault(random, method === 'POST') : undefined;
  };
  const sandbox = await startSandbox({
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    startsAt: new Date(moments.opens),
    deliver,
    intercept,
  });

  const moves: { realMs: number; aheadMs: number }[] = [];
  const noteMove = (): void => {
    moves.push({ realMs: Date.now(), aheadMs: sandbox.clock.now() - Date.now() });
  };
  noteMove();
  const businessTime = (realMs: number): number =>
    realMs + ((moves.findLast((move) => move.realMs <= realMs) ?? moves[0])?.aheadMs ?? 0);
  const mailServer = await startMailServer();
  mailServer.events.on('mail', (mail: AcceptedMail) => {
    const [, kind = '', registration = ''] = /^<([a-z-]+)-(reg_[0-9a-z]+)/.exec(mail.messageId) ?? [];
    const since = businessTime(mail.atMs - IN_FLIGHT_MS);
    mails.push({ ...mail, at: sandbox.clock.now(), since, kind, registration });
    instants.emit('mail');
  });
  const copies = join(folder, 'copies');
  const product = await prepareProduct({
    build,
    folder,
    sandbox,
    mailServer,
    env: {
      ...noLimits,
      NODE_ENV: 'development',
      CLOCK: 'sandbox',
      REGISTRATION: 'auto',
      TRUST_PROXY: '1',
      LOG_LEVEL: 'debug',
      MAIL_PER_SECOND: '200',
      BACKUP_DIR: copies,
    },
  });
  await product.start();
  const quiet = watchQuiet(product);
  return {
    ...product,
    sandbox,
    stripe: connect(sandbox),
    mailServer,
    build,
    quiet,
    /** Where the worker keeps copies of the register. */
    copies,
    /** Emits each `Instant`. */
    instants,
    /** Everything that was accepted by the mail server, and all payments that succeeded. */
    mails,
    successes,
    webhooks,
    stripeFails,
    /** Reads the register as another program does, or changes PostgreSQL. */
    ask: (statement: string) => ask(product.env.DATABASE_URL ?? '', statement),
    moveTo(ms: number): void {
      if (ms <= sandbox.clock.now()) return;
      sandbox.clock.moveTo(new Date(ms));
      noteMove();
    },
    /**
     * Resolves to true once nothing is under way, also after the mails that wait for another attempt have been sent; the
     * pauses between attempts go by the machine's time. Where no worker runs, nothing is waited for.
     */
    async rests(): Promise<boolean> {
      if (product.worker.pid === undefined) return true;
      const since = sandbox.clock.now();
      for (let round = 1; round <= 3; round += 1) {
        await sandbox.eventsAttempted();
        await quiet.askForDueWork();
        if (!(await quiet.until(since, REST_MS))) return false;
        if (mailServer.trouble === 'smtp-refused' || (await quiet.promoteMails()) === 0) return true;
      }
      return quiet.until(since, REST_MS);
    },
    async close(): Promise<void> {
      await quiet.close();
      await product.close();
    },
  };
}

const READ = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('@photostructure/sqlite');
const file = new DatabaseSync(workerData.path, { readOnly: true });
parentPort.postMessage(file.prepare(workerData.statement).all().map((row) => ({ ...row })));`;

async function ask(url: string, statement: string): Promise<Readonly<Record<string, unknown>>[]> {
  if (!url.startsWith('file:')) {
    const client = new pg.Client(url);
    await client.connect();
    return client
      .query(statement)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }
  // In a thread of its own: what a statement has read holds the file open until it is collected.
  const reader = new Worker(READ, { eval: true, workerData: { path: fileURLToPath(url), statement } });
  const [rows] = await once(reader, 'message');
  await reader.terminate();
  return rows;
}

function drawFault(random: Random, isPost: boolean): Fault {
  const carryOut = random() < 0.5;
  const draw = random();
  if (draw < 0.3) return { kind: 'reset', carryOut };
  if (draw < 0.6) return { kind: 'answer-500', carryOut: isPost && carryOut };
  if (draw < 0.8) return { kind: 'rate-limit' };
  return { kind: 'late-answer', until: pause(LATE_MS) };
}

/** Asks again, because Stripe fails now and then. */
export async function again<Answer>(ask: () => Promise<Answer>, tries = 20): Promise<Answer> {
  return ask().catch((error: unknown) => (tries > 1 ? again(ask, tries - 1) : Promise.reject(error)));
}
