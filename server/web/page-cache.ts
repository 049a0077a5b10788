import type { IncomingMessage } from 'node:http';
import { PassThrough, type Writable } from 'node:stream';
import type { RequestHandler } from 'express';
import { type PageOptions, renderPage } from '#client/entry.server.tsx';
import type { Metrics } from '#server/ops/metrics.ts';
import { type CachePolicy, keptByNobody } from './cache-policy.ts';
import {
  acceptedEncoding,
  type FinishedPage,
  finishPage,
  type Representation,
  sendPage,
} from './representation.ts';

/**
 * What the page depends on, as a text and in the form that the render takes. The same text always means the
 * same page.
 */
export interface PageKey {
  text: string;
  options: PageOptions;
}

interface CacheOptions {
  /** The page that is due at this moment. */
  keyNow: () => PageKey;
  render: RenderPage;
  /** Headers of every answer. */
  headers: Readonly<Record<string, string>>;
  /** The policy of a page that was rendered completely. */
  policy: CachePolicy;
  metrics: Pick<Metrics, 'count' | 'time'>;
  onFailure: (error: unknown) => void;
}

/** Two pages: near the last place, the page with places and the full page may alternate. */
const MOST_KEPT = 2;

/** Keeps the bytes of the pages that were rendered last; at most one render per page runs at a time. */
export class PageCache {
  readonly #options: CacheOptions;
  readonly #kept = new Map<string, FinishedPage>();
  readonly #inFlight = new Map<string, Promise<FinishedPage>>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** The page that is due, in an encoding that the client accepts, if it is in memory. */
  find(req: IncomingMessage): Representation | undefined {
    const { keyNow, metrics } = this.#options;
    const kept = this.#kept.get(keyNow().text);
    const encoding = kept && acceptedEncoding(req);
    if (!encoding) return undefined;
    metrics.count('page_cache_requests_total', { result: 'hit' });
    return kept[encoding];
  }

  /**
   * The page that is due, rendered if necessary. Only the request that starts the render may stream the page:
   * its `open` is called then.
   * @throws {unknown} the error of the render; the next request renders again
   */
  finish(open: OpenStream): Promise<FinishedPage> {
    const { text, options } = this.#options.keyNow();
    const { metrics } = this.#options;
    const kept = this.#kept.get(text);
    if (kept) {
      metrics.count('page_cache_requests_total', { result: 'hit' });
      return Promise.resolve(kept);
    }
    const inFlight = this.#inFlight.get(text);
    metrics.count('page_cache_requests_total', { result: inFlight ? 'shared' : 'miss' });
    if (inFlight) return inFlight;
    const rendering = this.#render(text, options, open).finally(() => this.#inFlight.delete(text));
    this.#inFlight.set(text, rendering);
    return rendering;
  }

  async #render(text: string, options: PageOptions, open: OpenStream): Promise<FinishedPage> {
    const { html, failure } = await this.#watched(this.#options.render(options, open));
    const { headers, policy } = this.#options;
    if (failure !== undefined) this.#options.onFailure(failure);
    const page = await finishPage(html, { ...headers, ...(failure === undefined ? policy : keptByNobody) });
    if (failure === undefined) this.#keep(text, page);
    return page;
  }

  #keep(text: string, page: FinishedPage): void {
    this.#kept.set(text, page);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #watched(rendering: Promise<RenderedPage>): Promise<RenderedPage> {
    const start = performance.now();
    const tell = (outcome: 'whole' | 'incomplete' | 'failed'): void =>
      this.#options.metrics.time(
        'page_render_duration_seconds',
        { outcome },
        (performance.now() - start) / 1000,
      );
    try {
      const page = await rendering;
      tell(page.failure === undefined ? 'whole' : 'incomplete');
      return page;
    } catch (error) {
      tell('failed');
      throw error;
    }
  }
}

/** The result of a render. */
interface RenderedPage {
  html: Buffer;
  /** The error of a part without which the page was sent; such a page must not be kept. */
  failure: unknown;
}

/** Called when the page can be sent; the page is written to the returned stream piece by piece. */
type OpenStream = () => Writable | undefined;

export type RenderPage = (options: PageOptions, open: OpenStream) => Promise<RenderedPage>;

/**
 * Renders the page, to a visitor and to memory at the same time. If the visitor leaves, the render goes on,
 * because others wait for it.
 * @throws {unknown} the error that prevented the page; nothing was sent then
 */
export const renderToMemory: RenderPage = (options, open) =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let failure: unknown;
    const page = renderPage(options, {
      onShellReady() {
        const visitor = open();
        const write = (piece: Buffer): void => {
          pieces.push(piece);
          visitor?.write(piece);
        };
        const whole = new PassThrough();
        whole.on('data', write);
        whole.on('error', reject);
        whole.on('end', () => {
          visitor?.end();
          resolve({ html: Buffer.concat(pieces), failure });
        });
        page.pipe(whole);
      },
      onShellError: reject,
      onError: (error) => {
        failure = error;
      },
    });
  });

/**
 * Answers with the page that is due: streamed to the visitor whose request causes its render, from memory to all
 * others. A streamed answer is not cached: it may turn out to be incomplete.
 */
export function answerPage(cache: PageCache): RequestHandler {
  return async (req, res) => {
    const page = await cache.finish(() => {
      if (req.method !== 'GET' || res.destroyed) return undefined;
      res.status(200).type('html').vary('Accept-Encoding');
      return res;
    });
    if (!res.headersSent && !res.destroyed) sendPage(res, page);
  };
}
