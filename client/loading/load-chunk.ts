const TIMEOUT_MS = 120_000;
const PROBE_TIMEOUT_MS = 5_000;

export interface Chunk<Module> {
  id: string;
  /** Must contain only the `import()`: its source is parsed for the path. */
  load: () => Promise<Module>;
  module?: Module;
}

const failures = new Map<string, number>();

/**
 * Loads a chunk, once; after a failure the next call requests it from the server again.
 * @throws {ChunkLoadError} when it does not load within two minutes, or fails to load (R7.1)
 */
export async function loadChunk<Module>(chunk: Chunk<Module>): Promise<Module> {
  const { id, load } = chunk;
  const url = addressOf(load);
  const failed = failures.get(id) ?? 0;
  const loading = failed > 0 && url ? loadAgain<Module>(url, failed) : load();
  try {
    chunk.module = await withTimeout(loading, () => new ChunkLoadError({ id, type: 'timeout', url }));
    return chunk.module;
  } catch (cause) {
    failures.set(id, failed + 1);
    if (cause instanceof ChunkLoadError) throw cause;
    throw new ChunkLoadError({ id, type: await findReason(url), url, cause });
  }
}

/** The address of a chunk, read from the path that the build writes into its `import()`. */
function addressOf(load: Chunk<unknown>['load']): string {
  const path = /import\(\s*["'`]([^"'`]+)/.exec(String(load))?.[1];
  return path ? new URL(path, import.meta.url).href : '';
}

/**
 * Loads a chunk again under a different address, because browsers cache a module that they could not parse,
 * and keep waiting for a request that hangs. The chunk's own imports keep their addresses, and so their
 * cached state: if one of them is broken or hangs, only a page reload helps, not a retry.
 */
function loadAgain<Module>(url: string, failed: number): Promise<Module> {
  const address = new URL(url);
  address.searchParams.set('again', String(failed));
  return import(address.href);
}

function withTimeout<Value>(loading: Promise<Value>, makeTimeoutError: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(makeTimeoutError()), TIMEOUT_MS);
    loading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function findReason(url: string): Promise<ChunkFailure> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const { status } = await fetch(url, { method: 'HEAD', cache: 'no-store', signal });
    return status === 404 || status === 410 ? 'missing' : 'error';
  } catch {
    return 'error';
  }
}

type ChunkFailure = 'missing' | 'timeout' | 'error';

interface ChunkLoadErrorOptions extends ErrorOptions {
  id: string;
  type: ChunkFailure;
  url: string;
}

export class ChunkLoadError extends Error {
  readonly type: ChunkFailure;
  readonly url: string;

  constructor({ id, type, url, cause }: ChunkLoadErrorOptions) {
    super(`Loading chunk ${id} failed.`, { cause });
    this.name = 'ChunkLoadError';
    this.type = type;
    this.url = url;
  }
}
