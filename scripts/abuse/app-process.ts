import { join } from 'node:path';
import { type Child, startChild } from '#scripts/machine/child.ts';
import { nodeProgram } from '#scripts/machine/node-program.ts';
import { findFreePort } from '#scripts/machine/ports.ts';
import { TEST_KEYS } from '#scripts/sandbox/test-sandbox.ts';
import { waitForAnswer } from '#scripts/start/wait-for-answer.ts';

/** The app as a process of its own. */
export interface AppProcess {
  siteUrl: string;
  opsUrl: string;
  child: Child;
  /** What it has written. */
  lines: readonly string[];
}

export interface AppProcessOptions {
  /** The folder that holds the build. */
  build: string;
  redisUrl: string;
  stripeUrl: string;
  /** Any free one when left out. */
  port?: number | undefined;
  /** Further arguments of Node. */
  nodeArgs?: readonly string[];
}

/** Who may see the ops page. */
export const OPS = { user: 'ops', password: 'ops-password' };

/** Starts the app as in production, but for the payment sandbox and for limits that let everybody in. */
export async function startApp(options: AppProcessOptions): Promise<AppProcess> {
  const port = options.port ?? (await findFreePort());
  const opsPort = await findFreePort();
  const [siteUrl, opsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${opsPort}`];
  const ports = { PORT: String(port), OPS_PORT: String(opsPort) };
  const env = { ...environmentOf(options), ...ports, PUBLIC_URL: siteUrl };
  const lines: string[] = [];
  const child = startChild({
    name: 'app',
    ...nodeProgram(join(options.build, 'start-app.js'), env, options.nodeArgs),
    onLine: (line) => void lines.push(line),
  });
  try {
    await waitForAnswer(`${opsUrl}/healthz`, child);
  } catch (error) {
    await child.stop();
    throw new Error(lines.join('\n'), { cause: error });
  }
  return { siteUrl, opsUrl, child, lines };
}

function environmentOf({ redisUrl, stripeUrl }: AppProcessOptions): NodeJS.ProcessEnv {
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
