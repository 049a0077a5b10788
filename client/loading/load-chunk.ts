const TIMEOUT_MS = 120_000;
const PROBE_TIMEOUT_MS = 5_000;

/** A part of the page's code that loads when it is needed. */
export interface Chunk<Module> {
  id: string;
  /** Nothing but the `import()`. */
  load: () => Promise<Module>;
  /** Where it lies, unless the build writes that into the import. */
  path?: string;
  /** What was loaded, once it is there. */
  module?: Module;
}

/** By chunk id. */
const failures = new Map<string, number>();

/**
 * Loads a chunk, once; after a failure the next call truly loads it again.
 * @throws {ChunkLoadError} when it does not come within two minutes, or cannot be had (R7.1)
 */
export async function loadChunk<Module>(chunk: Chunk<Module>): Promise<Module> {
  const { id, load } = chunk;
  const url = addressOf(chunk);
  const failed = failures.get(id) ?? 0;
  const loading = failed > 0 && url ? loadAgain<Module>(url, failed) : load();
  try {
    chunk.module = await inTime(loading, () => new ChunkLoadError({ id, type: 'timeout', url }));
    return chunk.module;
  } catch (cause) {
    failures.set(id, failed + 1);
    if (cause instanceof ChunkLoadError) throw cause;
    throw new ChunkLoadError({ id, type: await findReason(url), url, cause });
  }
}

/** The address of a chunk: the build writes its path into the import, the one place that every browser can read. */
function addressOf({ load, path: known }: Chunk<unknown>): string {
  const path = known ?? /import\(\s*["'`]([^"'`]+)/.exec(String(load))?.[1];
  return path ? new URL(path, import.meta.url).href : '';
}

/**
 * Under an address of its own: browsers keep what they could not parse, and go on waiting for what hangs. What the
 * chunk imports keeps its address, and so its state: where one of those is broken or hangs, a reload helps, no retry.
 */
function loadAgain<Module>(url: string, failed: number): Promise<Module> {
  const address = new URL(url);
  address.searchParams.set('again', String(failed));
  return import(address.href);
}

function inTime<Value>(loading: Promise<Value>, late: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), TIMEOUT_MS);
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

/** Why a chunk did not come: the server no longer has it, it took too long, or anything else. */
export type ChunkFailure = 'missing' | 'timeout' | 'error';

interface ChunkLoadErrorOptions {
  id: string;
  type: ChunkFailure;
  url: string;
  cause?: unknown;
}

/** A part of the page's code did not arrive (R7.1). */
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
