import closeWithGrace from 'close-with-grace';
import { ConfigError } from '#server/config/config.ts';
import { createLogger, type Logger } from '#server/config/logger.ts';
import { missingWays, type Office } from '#server/config/office.ts';
import { StartError } from '#server/config/start-error.ts';
import type { ProcessName } from '#server/config/variables.ts';
import { ListenError } from './listen.ts';

interface ShutdownStep {
  name: string;
  close: () => Promise<unknown>;
}

/** Opens what a service needs, and returns the steps that close it, in order. */
type StartService<Config> = (config: Config, logger: Logger) => Promise<readonly ShutdownStep[]>;

interface ServiceConfig {
  logLevel: string;
  office: Office;
  /** How long it goes on working after it was told to stop; 0 by default. */
  drainSeconds?: number;
}

/**
 * Runs one of the processes: reads its configuration, starts it, stops it in order on SIGTERM or SIGINT. An
 * error that keeps it from starting is printed on standard error, and the process exits with 1.
 */
export async function runService<Config extends ServiceConfig>(
  service: ProcessName,
  readConfig: () => Config,
  start: StartService<Config>,
): Promise<void> {
  // What the process writes, such as the register and its copies, nobody else may read.
  process.umask(0o077);
  try {
    const config = readConfig();
    const logger = createLogger(service, config.logLevel);
    for (const warning of missingWays(config.office)) logger.warn(warning);
    closeOnSignal(logger, config.drainSeconds ?? 0, await start(config, logger));
  } catch (error) {
    process.stderr.write(`The ${service} did not start. ${explain(error)}\n`);
    process.exit(1);
  }
}

/** A sentence for what an operator can fix, the stack for what an engineer must. */
function explain(error: unknown): string {
  const isExplained = [ConfigError, ListenError, StartError].some((kind) => error instanceof kind);
  if (isExplained && error instanceof Error) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Signals that `closeWithGrace` would treat as a request to stop besides SIGTERM and SIGINT: SIGUSR2 belongs
 * to diagnostic tools, and after a crash no JavaScript is safe to run.
 * @see https://nodejs.org/docs/latest-v20.x/api/process.html#signal-events
 */
const OTHER_SIGNALS: closeWithGrace.Signals[] = [
  'SIGHUP',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGUSR2',
];

/** Longest time an orderly stop may take after the drain; compose's grace period is longer. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/**
 * Ends the process in order on a signal: each step is awaited, all within ten seconds after the drain, exit code 0. A second signal exits
 * at once with 1. Unknown errors are logged and end the process with 1, for the supervisor to start it again.
 */
function closeOnSignal(logger: Logger, drainSeconds: number, steps: readonly ShutdownStep[]): void {
  const timeoutMs = drainSeconds * 1000 + SHUTDOWN_TIMEOUT_MS;
  closeWithGrace({ delay: timeoutMs, logger, skip: OTHER_SIGNALS }, async ({ signal, err }) => {
    if (err) {
      logger.fatal({ err }, 'Unexpected error, ending the process');
      return;
    }
    logger.info({ signal }, 'Stopping');
    const failed: string[] = [];
    for (const { name, close } of steps) {
      try {
        await close();
      } catch (error) {
        failed.push(name);
        logger.error({ err: error, step: name }, 'Could not close');
      }
    }
    if (failed.length > 0) throw new Error(`Could not close ${failed.join(', ')}`);
    logger.info('Stopped');
  });
}
