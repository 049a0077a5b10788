import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '#scripts/product/child.ts';
import { nodeProgram } from '#scripts/product/node-program.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { waitForAnswer } from '#scripts/start/wait-for-answer.ts';
import { TEST_KEYS } from '#scripts/stripe-sandbox/test-sandbox.ts';
import { createService, type Service } from './service.ts';

/** Where the office's notices go. */
export const OFFICE_EMAIL = 'office@retreat.example';

/** The site's processes, and Redis. */
export interface Product {
  siteUrl: string;
  redisUrl: string;
  /** Where Redis keeps its file. */
  redisFolder: string;
  redis: Service;
  app: Service;
  worker: Service;
  /** What app and worker have written. */
  lines: readonly string[];
  /** Processes that ended by themselves. */
  crashes: readonly string[];
  /** Runs one of the product's command-line programs, if this build has it. */
  command(program: string, args: readonly string[]): Promise<boolean>;
}

interface ProductOptions {
  /** Holds the build, and Redis's file. */
  folder: string;
  stripeUrl: string;
  smtpUrl: string;
}

/** The product as it is built in a folder; nothing of it runs yet. */
export async function prepareProduct({ folder, stripeUrl, smtpUrl }: ProductOptions): Promise<Product> {
  const [sitePort, redisPort] = [await findFreePort(), await findFreePort()];
  const siteUrl = `http://127.0.0.1:${sitePort}`;
  const redisUrl = `redis://127.0.0.1:${redisPort}`;
  const env = {
    ...environmentOf(stripeUrl, smtpUrl),
    PUBLIC_URL: siteUrl,
    REDIS_URL: redisUrl,
    PORT: String(sitePort),
  };
  const redisFolder = join(folder, 'redis');
  const lines: string[] = [];
  const crashes: string[] = [];
  const watched = {
    onLine: (line: string) => void lines.push(line),
    onCrash: (how: string) => void crashes.push(how),
  };
  const pathOf = (program: string): string => join(folder, 'build', `${program}.js`);

  const nodeService = async (name: string): Promise<Service> => {
    const opsPort = String(await findFreePort());
    return createService({
      ...watched,
      async launch(watch) {
        const program = nodeProgram(pathOf(`start-${name}`), { ...env, OPS_PORT: opsPort });
        const child = startChild({ ...watch, name, ...program });
        await waitForAnswer(`http://127.0.0.1:${opsPort}/healthz`, child);
        return child;
      },
    });
  };
  return {
    siteUrl,
    redisUrl,
    redisFolder,
    lines,
    crashes,
    redis: createService({
      onCrash: watched.onCrash,
      launch: ({ onCrash }) => startRedis({ port: redisPort, folder: redisFolder, onCrash }),
    }),
    app: await nodeService('app'),
    worker: await nodeService('worker'),
    async command(program, args) {
      if (!existsSync(pathOf(program))) return false;
      const onLine = (): void => {};
      const child = startChild({
        name: program,
        command: process.execPath,
        args: [pathOf(program), ...args],
        env,
        onLine,
      });
      const how = await child.ended;
      if (!how.endsWith('code 0')) crashes.push(`${program} ${args.join(' ')} ${how}.`);
      return true;
    },
  };
}

/** As in production, but for limits that let everybody in. */
function environmentOf(stripeUrl: string, smtpUrl: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    REGISTRATION: 'open',
    LOG_LEVEL: 'debug',
    PAYMENTS: 'sandbox',
    STRIPE_API_BASE: stripeUrl,
    STRIPE_SCRIPT_URL: `${stripeUrl}/stripe.js`,
    STRIPE_SECRET_KEY: TEST_KEYS.secretKey,
    STRIPE_PUBLISHABLE_KEY: TEST_KEYS.publishableKey,
    STRIPE_WEBHOOK_SECRET: TEST_KEYS.webhookSecret,
    SMTP_URL: smtpUrl,
    MAIL_FROM: `The Retreat <${OFFICE_EMAIL}>`,
    MAIL_PER_SECOND: '200',
    OFFICE_EMAIL,
    OFFICE_PHONE: '+1 (555) 555-0100',
    OPS_PASSWORD: 'chaos',
    RATE_LIMIT_PER_ADDRESS: '100000',
    RATE_LIMIT_OVERALL: '100000',
  };
}
