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
