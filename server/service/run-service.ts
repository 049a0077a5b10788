import { type Config, ConfigError, readConfig } from '#server/config/config.ts';
import { missingWays } from '#server/config/office.ts';
import { ListenError } from '#server/http/listen.ts';
import { createLogger, type Logger } from './logger.ts';
import { closeOnSignal, type ShutdownStep } from './shutdown.ts';

/**
 * As it was before Node 24, whose pools are eight times as large: between two collections the log's lines go through so
 * many of them that they come to 5 MB.
 */
const BUFFER_POOL_BYTES = 8_192;

/** Opens what a service needs and tells how to close it, in closing order. */
export type StartService = (config: Config, logger: Logger) => Promise<readonly ShutdownStep[]>;

/**
 * Runs one of the processes: reads its configuration, starts it, ends it in order on a signal.
 * What keeps it from starting is said on standard error, and the process exits with 1.
 */
export async function runService(service: 'app' | 'worker', start: StartService): Promise<void> {
  Buffer.poolSize = BUFFER_POOL_BYTES;
  try {
    const config = readConfig();
    const logger = createLogger(service, config.logLevel);
    for (const warning of missingWays(config.office)) logger.warn(warning);
    closeOnSignal(logger, await start(config, logger));
  } catch (error) {
    process.stderr.write(`The ${service} did not start. ${explain(error)}\n`);
    process.exit(1);
  }
}

/** A sentence for what an operator can mend, the stack for what an engineer must. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof ListenError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
