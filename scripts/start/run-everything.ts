import { isIP } from 'node:net';
import type { BuildMode } from '#scripts/build/build.ts';
import { stopChildren } from '#scripts/product/child.ts';
import { ProgramMissingError } from '#scripts/product/system-package.ts';
import { announce } from './announce.ts';
import { runProduct } from './run-product.ts';
import { readSettings, requireFreePorts, type Settings, StartError } from './settings.ts';
import { type StandIn, startMailbox, startOwnRedis, startPaymentSandbox } from './stand-ins.ts';

/** What the product wants to know and a newcomer has not configured. */
const DEFAULTS = {
  OPS_USER: 'ops',
  OPS_PASSWORD: 'ops',
  REGISTRATION: 'open',
  MAIL_FROM: 'The Doorway Retreat <office@retreat.example>',
  OFFICE_EMAIL: 'office@retreat.example',
  OFFICE_PHONE: '+1 (555) 555-0100',
  OFFICE_FAX: '+1 (555) 555-0101',
  OFFICE_POSTAL_ADDRESS: '100 Example Street, Sampletown, CA 90000',
  OFFICE_LEGAL_NAME: 'Sample Retreats LLC',
};

/** Some shells export HOST as the machine's name, which is no address to listen on. */
const LOOPBACK = '127.0.0.1';

interface RunOptions {
  mode: BuildMode;
  /** Calls `restart` whenever the product should be built and started again. */
  watch?: (restart: () => Promise<void>) => void;
}

/** Starts the product with a stand-in for all that is not configured, and ends it all in order on a signal. */
export async function runEverything({ mode, watch }: RunOptions): Promise<void> {
  endWithThisProcess();
  const onCrash = (sentence: string): void => {
    console.error(sentence);
    void end(1);
  };
  try {
    const settings = readSettings(process.env);
    await requireFreePorts(settings);
    const standIns = await startStandIns(settings, onCrash);
    const env = environmentOf(mode, settings, standIns);
    const run = () => runProduct({ mode, settings, env, onCrash });
    let product = await run();
    announce(settings, env, standIns);
    watch?.(async () => {
      await product.stop();
      product = await run();
    });
  } catch (error) {
    if (!ending) console.error(explain(error));
    await end(1);
  }
}

/** Nothing is left running, whether somebody ends this process, its output goes nowhere, or it fails. */
function endWithThisProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => end(1));
  for (const failure of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(failure, (error) => {
      console.error(error);
      void end(1);
    });
  }
}

let ending: Promise<void> | undefined;

/** Ends every process, then this one. */
function end(exitCode: number): Promise<void> {
  ending ??= stopChildren().then(() => process.exit(exitCode));
  return ending;
}

async function startStandIns(settings: Settings, onCrash: (sentence: string) => void): Promise<StandIn[]> {
  const standIns: StandIn[] = [];
  if (settings.needsRedis) standIns.push(await startOwnRedis(settings, onCrash));
  if (settings.needsMailbox) standIns.push(await startMailbox(settings, onCrash));
  if (settings.needsSandbox) standIns.push(await startPaymentSandbox(settings));
  return standIns;
}

/** The product's environment: what is configured, over the stand-ins, over the defaults. */
function environmentOf(
  mode: BuildMode,
  { ports }: Settings,
  standIns: readonly StandIn[],
): NodeJS.ProcessEnv {
  const configured = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  return {
    ...DEFAULTS,
    PUBLIC_URL: `http://127.0.0.1:${ports.PORT}`,
    PORT: String(ports.PORT),
    ...Object.assign({}, ...standIns.map(({ env }) => env)),
    ...configured,
    HOST: isIP(configured.HOST ?? '') === 0 ? LOOPBACK : configured.HOST,
    NODE_ENV: mode,
  };
}

/** One sentence for what can be mended from here; the stack for what cannot. */
function explain(error: unknown): string {
  if (error instanceof StartError || error instanceof ProgramMissingError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
