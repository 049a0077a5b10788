/** The status of a refusal: this program's own, or one of Express's parsers. Undefined for what is the server's fault. */
export function clientErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}
