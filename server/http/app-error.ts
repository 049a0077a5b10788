interface AppErrorOptions {
  /** Stable word for programs. */
  code: string;
  status: number;
  /** What the person at the other end reads. */
  message: string;
  /** By field name, for a form. */
  fields?: Record<string, string>;
  /** After how many seconds a retry makes sense. */
  retryAfterS?: number;
  /** For the log only. */
  cause?: unknown;
}

/** A failure with an HTTP answer: a status, a code and a sentence for people; its cause goes to the log. */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Record<string, string> | undefined;
  readonly retryAfterS: number | undefined;

  constructor({ code, status, message, fields, retryAfterS, cause }: AppErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.retryAfterS = retryAfterS;
  }
}

/** The status of a refusal by this program or by one of Express's parsers (4xx). Undefined for errors of the server. */
export function clientErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}

/** The underlying error of a failure; for the log and for support, never for visitors. */
export function causeOf(error: unknown): Error {
  if (error instanceof AppError && error.cause instanceof Error) return error.cause;
  return error instanceof Error ? error : new Error(String(error));
}
