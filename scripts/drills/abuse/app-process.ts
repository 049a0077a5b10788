import { join } from 'node:path';
import { type Child, startChild } from '#scripts/product/child.ts';
import { nodeProgram } from '#scripts/product/node-program.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { waitForAnswer } from '#scripts/start/wait-for-answer.ts';
import { TEST_KEYS } from '#scripts/stripe-sandbox/test-sandbox.ts';

/** One of the server's programs as a process of its own. */
interface ServerProcess {
  opsUrl: string;
  child: Child;
  /** What it has written. */
  lines: readonly string[];
}

/** The app as a process of its own. */
export interface AppProcess extends ServerProcess {
  siteUrl: string;
}

interface ProcessOptions {
  /** The folder that holds the build. */
  build: string;
  redisUrl: string;
  stripeUrl: string;
  /** Further arguments of Node. */
  nodeArgs?: readonly string[];
  /** Variables of the environment that are otherwise than usual. */
  env?: NodeJS.ProcessEnv;
}

export interface AppProcessOptions extends ProcessOptions {
  /** Any free one when left out. */
  port?: number | undefined;
}

/** Who may see the ops page. */
export const OPS = { user: 'ops', password: 'ops-password' };

/** Starts the app as in production, but for the payment sandbox and for limits that let everybody in. */
export async function startApp(options: AppProcessOptions): Promise<AppProcess> {
  const port = options.port ?? (await findFreePort());
  const siteUrl = `http://127.0.0.1:${port}`;
  return { siteUrl, ...(await startProgram('app', { PORT: String(port), PUBLIC_URL: siteUrl }, options)) };
}

/** Starts the worker of such an app. */
export function startWorker(siteUrl: string, options: ProcessOptions): Promise<ServerProcess> {
  return startProgram('worker', { PUBLIC_URL: siteUrl }, options);
}

async function startProgram(
  name: 'app' | 'worker',
  place: NodeJS.ProcessEnv,
  options: ProcessOptions,
): Promise<ServerProcess> {
  const opsPort = await findFreePort();
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const env = { ...environmentOf(options), ...place, OPS_PORT: String(opsPort), ...options.env };
  const lines: string[] = [];
  const child = startChild({
    name,
    ...nodeProgram(join(options.build, `start-${name}.js`), env, options.nodeArgs),
    onLine: (line) => void lines.push(line),
  });
  try {
    await waitForAnswer(`${opsUrl}/healthz`, child);
  } catch (error) {
    await child.stop();
    throw new Error(lines.join('\n'), { cause: error });
  }
  return { opsUrl, child, lines };
}

function environmentOf({ redisUrl, stripeUrl }: ProcessOptions): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    REGISTRATION: 'open',
    REDIS_URL: redisUrl,
    PAYMENTS: 'sandbox',
    STRIPE_API_BASE: stripeUrl,
    STRIPE_SCRIPT_URL: `${stripeUrl}/stripe.js`,
    STRIPE_SECRET_KEY: TEST_KEYS.secretKey,
    STRIPE_PUBLISHABLE_KEY: TEST_KEYS.publishableKey,
    STRIPE_WEBHOOK_SECRET: TEST_KEYS.webhookSecret,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'The Retreat <office@retreat.example>',
    OFFICE_EMAIL: 'office@retreat.example',
    OFFICE_PHONE: '+1 (555) 555-0100',
    OPS_USER: OPS.user,
    OPS_PASSWORD: OPS.password,
    RATE_LIMIT_PER_ADDRESS: '100000',
    RATE_LIMIT_OVERALL: '100000',
  };
}
