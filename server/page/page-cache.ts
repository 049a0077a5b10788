import type { PageOptions } from '#client/entry.server.tsx';
import { type CachePolicy, keptByNobody } from '#server/http/cache-policy.ts';
import {
  acceptedEncodings,
  brotli,
  type Encoding,
  gzipped,
  type Representation,
  represent,
} from '#server/http/representation.ts';
import type { OpenStream, RenderedPage, RenderPage } from './render-page.ts';

/** A page that is rendered. Its encodings join it as they are made. */
class FinishedPage {
  readonly #representations = new Map<Encoding, Representation>();
  /** Resolves when every encoding is there. */
  readonly whole: Promise<void>;

  constructor(html: Buffer, headers: Readonly<Record<string, string>>) {
    const add = (encoding: Encoding, body: Buffer): void => {
      this.#representations.set(encoding, represent(encoding, body, 'text/html; charset=utf-8', headers));
    };
    add('identity', html);
    this.whole = Promise.all([
      gzipped(html).then((body) => add('gzip', body)),
      brotli(html).then((body) => add('br', body)),
    ]).then(() => {});
  }

  /** The best that a request takes of what is there by now. */
  choose(acceptEncoding: string | undefined): Representation | undefined {
    for (const encoding of acceptedEncodings(acceptEncoding)) {
      const found = this.#representations.get(encoding);
      if (found) return found;
    }
    return undefined;
  }
}

export type { FinishedPage };

/** What the page depends on, as a text and as the render takes it. The text is the same for the same page only. */
export interface PageKey {
  text: string;
  options: PageOptions;
}

export type CacheResult = 'hit' | 'miss' | 'shared';
export type RenderOutcome = 'whole' | 'incomplete' | 'failed';

/** Is told how the cache does. */
export interface PageWatcher {
  /** A request for the page found it in memory, had it rendered, or waited for a render that was under way. */
  asked(result: CacheResult): void;
  rendered(outcome: RenderOutcome, seconds: number): void;
}

interface CacheOptions {
  /** The page that is due at this moment. */
  keyNow: () => PageKey;
  render: RenderPage;
  /** On every answer. */
  headers: Readonly<Record<string, string>>;
  /** Of a page that was rendered completely. */
  policy: CachePolicy;
  watcher: PageWatcher;
  onFailure: (error: unknown) => void;
}

/** Near the last place a page that is full and one that is not may alternate. */
const MOST_KEPT = 2;

/** Keeps the bytes of the pages that were last rendered; one render of each at a time makes them. */
export class PageCache {
  readonly #options: CacheOptions;
  readonly #kept = new Map<string, FinishedPage>();
  readonly #underway = new Map<string, Promise<FinishedPage>>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** The page of this moment as its reader takes it, if it is there. */
  find(acceptEncoding: string | undefined): Representation | undefined {
    const { keyNow, watcher } = this.#options;
    const found = this.#kept.get(keyNow().text)?.choose(acceptEncoding);
    if (found) watcher.asked('hit');
    return found;
  }

  /**
   * The page of this moment, rendered if need be. Only the request that starts the render may stream it; `open` is called then.
   * @throws {unknown} what the render failed with; the next request renders again
   */
  finish(open: OpenStream): Promise<FinishedPage> {
    const { text, options } = this.#options.keyNow();
    const { watcher } = this.#options;
    const kept = this.#kept.get(text);
    if (kept) {
      watcher.asked('hit');
      return Promise.resolve(kept);
    }
    const underway = this.#underway.get(text);
    watcher.asked(underway ? 'shared' : 'miss');
    if (underway) return underway;
    const rendering = this.#render(text, options, open).finally(() => this.#underway.delete(text));
    this.#underway.set(text, rendering);
    return rendering;
  }

  async #render(text: string, options: PageOptions, open: OpenStream): Promise<FinishedPage> {
    const { html, failure } = await this.#watched(this.#options.render(options, open));
    const { headers, policy } = this.#options;
    const page = new FinishedPage(html, { ...headers, ...(failure === undefined ? policy : keptByNobody) });
    page.whole.catch(this.#options.onFailure);
    if (failure === undefined) this.#keep(text, page);
    else this.#options.onFailure(failure);
    return page;
  }

  #keep(text: string, page: FinishedPage): void {
    this.#kept.set(text, page);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #watched(rendering: Promise<RenderedPage>): Promise<RenderedPage> {
    const start = performance.now();
    const tell = (outcome: RenderOutcome): void =>
      this.#options.watcher.rendered(outcome, (performance.now() - start) / 1000);
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
