/** Keeps a process from starting, for a reason that its message tells an operator in a sentence. */
export class StartError extends Error {
  override name = 'StartError';
}
