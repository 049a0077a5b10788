import type { Logger } from './logger.ts';

/** One thing to close, named for the log. */
export interface ShutdownStep {
  name: string;
  close: () => Promise<unknown>;
}

/** Longest time an orderly stop may take; compose's grace period is longer. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/**
 * Ends the process in order on SIGTERM or SIGINT: each step is awaited, all within ten seconds, exit code 0.
 * A second signal exits at once with 1. Unknown errors are logged and end the process with 1, for the
 * supervisor to start it afresh.
 */
export function closeOnSignal(logger: Logger, steps: readonly ShutdownStep[]): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'Stopping');
    setTimeout(() => {
      logger.error('Stopping took too long');
      process.exit(1);
    }, SHUTDOWN_TIMEOUT_MS).unref();
    process.exit(await closeAll(logger, steps));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const crash = (error: unknown): never => {
    logger.fatal({ err: error }, 'Unexpected error, ending the process');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

async function closeAll(logger: Logger, steps: readonly ShutdownStep[]): Promise<number> {
  let exitCode = 0;
  for (const { name, close } of steps) {
    try {
      await close();
    } catch (error) {
      exitCode = 1;
      logger.error({ err: error, step: name }, 'Could not close');
    }
  }
  logger.info('Stopped');
  return exitCode;
}
