/**
 * Makes a call that every registration makes without the trace of its caller that the SDK takes, for failures that may
 * never come and whose traces no log tells (see `toAppError`). Under source maps such traces take a tenth of a
 * registration's CPU time.
 */
export function untraced<Answer>(call: () => Answer): Answer {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
