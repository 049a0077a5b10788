import { type DestinationStream, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * The structured log of one process, one JSON object a line on standard output.
 * Errors are logged by type, message, code and stack: never with the request or the job they came from.
 */
export function createLogger(
  service: 'app' | 'worker' | 'support',
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
