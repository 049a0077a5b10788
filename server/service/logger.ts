import { type DestinationStream, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * The structured log of one process, one JSON object a line on standard output.
 * Errors are logged by type, message, code and stack: never with the request or the job they came from.
 */
export function createLogger(
  service: 'app' | 'worker',
  level: string,
  destination: DestinationStream = pino.destination({ sync: true }),
) {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
    },
    destination,
  );
}

/** Lines of such a log wait for one another until they are so long together, or until so much time has passed. */
const BATCH_BYTES = 4_096;
const BATCH_MS = 1_000;

/**
 * The log of what is answered from memory, whose lines come by the thousand: to write each by itself would cost more
 * than the answer. A process that is killed loses the last second of it.
 */
export function createMemoryLogger(level: string) {
  const destination = pino.destination({ sync: true, minLength: BATCH_BYTES, periodicFlush: BATCH_MS });
  process.once('exit', () => destination.flushSync());
  return createLogger('app', level, destination);
}

interface LoggedError {
  type: string;
  message: string;
  code?: unknown;
  stack?: string | undefined;
  cause?: LoggedError;
}

function serializeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && { code: error.code }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}
