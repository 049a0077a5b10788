import { once } from 'node:events';
import { Queue, QueueEvents } from 'bullmq';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { type Environment, noLimits } from '#scripts/product/environment.ts';
import { type MailServer, startMailServer } from '#scripts/product/mail-server.ts';
import { type Product, prepareProduct } from '#scripts/product/product.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { QUEUE_PREFIX } from '#server/redis/queue-on.ts';
import { WALK_QUEUE_NAME } from '#server/register/walk.ts';
import { REFUSED_FOR_GOOD } from '#server/testing/test-mailing.ts';
import { isRefusedAddress, makeOfficeWorld, type OfficeWorld } from './office-world.ts';

/** The office's world and the product, running. */
export interface OpenOffice extends OfficeWorld, Product {
  mailServer: MailServer;
  /** Waits until no mail is waiting or being sent. */
  untilMailed(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Runs the built product on the office's day, with the sandbox's clock. When this resolves, its worker has walked
 * through all registrations, and has sent what could be sent.
 * @param env added to the product's own environment
 */
export async function openOffice(env: Environment = {}): Promise<OpenOffice> {
  await buildWhenStale('production', 'dist');
  const world = await makeOfficeWorld();
  const mailServer = await startMailServer();
  mailServer.refuse(REFUSED_FOR_GOOD, isRefusedAddress);
  const product = await prepareProduct({
    ...{ sandbox: world.sandbox, mailServer },
    // In production the product refuses a clock that can be moved.
    env: { ...noLimits, NODE_ENV: 'development', CLOCK: 'sandbox', REGISTRATION: 'auto', ...env },
  });
  const closing = [product.close];
  const close = async (): Promise<void> => {
    for (const end of closing.toReversed()) await end();
  };
  try {
    const { redis, redisUrl } = product;
    await redis.start();
    const { hostname: host, port } = new URL(redisUrl);
    const options = { connection: { host, port: Number(port) }, prefix: QUEUE_PREFIX };
    const walks = new QueueEvents(WALK_QUEUE_NAME, options);
    const mails = new QueueEvents(MAIL_QUEUE_NAME, options);
    const queue = new Queue(MAIL_QUEUE_NAME, options);
    for (const one of [walks, mails, queue]) closing.push(() => one.close());
    await Promise.all([walks.waitUntilReady(), mails.waitUntilReady()]);
    const untilMailed = () => untilIdle(queue, mails);
    const walked = once(walks, 'completed');
    await product.start();
    await walked;
    await untilMailed();
    return { ...world, ...product, mailServer, untilMailed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until the queue has no more jobs: checks after each job that ends. */
function untilIdle(queue: Queue, events: QueueEvents): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = async (): Promise<void> => {
      const {
        waiting = 0,
        prioritized = 0,
        active = 0,
      } = await queue.getJobCounts('waiting', 'prioritized', 'active');
      if (waiting + prioritized + active > 0) return;
      for (const name of ['completed', 'failed'] as const) events.off(name, onEnded);
      resolve();
    };
    const onEnded = () => void check().catch(reject);
    for (const name of ['completed', 'failed'] as const) events.on(name, onEnded);
    onEnded();
  });
}
