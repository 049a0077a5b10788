import type { ComponentProps } from 'react';
import { type PipeableStream, renderToPipeableStream, renderToStaticMarkup } from 'react-dom/server';
import type { SiteState } from '#shared/page.ts';
import { App } from './app.tsx';
import { Document, type PageAssets } from './document.tsx';
import { ErrorDocument } from './error-document.tsx';
import { createStore, initialPageState } from './store/store.ts';
import { IllustrationAddresses } from './ui/illustration.tsx';

/** Not a text that the page could hold. */
const APPLICATION_SLOT = '@@application@@';

interface RenderListeners {
  /** All but what is still suspended can be sent. */
  onShellReady: () => void;
  /** Nothing can be sent. */
  onShellError: (error: unknown) => void;
  onError: (error: unknown) => void;
}

/** One render of the page: write `head`, pipe the application, write `tail`. */
export interface PageRender extends PipeableStream {
  head: string;
  tail: string;
}

/** What a render depends on. */
export interface PageOptions {
  site: SiteState;
  assets: PageAssets;
  /** The page's own address, as visitors and search engines know it. */
  pageUrl: string;
}

/** Renders the page from a fresh store. The stream stays one piece, so that React emits no inline script. */
export function renderPage({ site, assets, pageUrl }: PageOptions, listeners: RenderListeners): PageRender {
  const store = createStore(initialPageState(site));
  const state = store.getState();
  const [head = '', tail = ''] = `<!doctype html>${renderToStaticMarkup(
    <Document assets={assets} pageUrl={pageUrl} site={site} state={state}>
      {APPLICATION_SLOT}
    </Document>,
  )}`.split(APPLICATION_SLOT);
  const stream = renderToPipeableStream(
    <IllustrationAddresses value={assets.illustrations}>
      <App store={store} serverState={state} />
    </IllustrationAddresses>,
    { ...listeners, progressiveChunkSize: Number.POSITIVE_INFINITY },
  );
  return { head, tail, pipe: stream.pipe, abort: stream.abort };
}

/** Renders the page that stands in for one that failed. */
export function renderErrorDocument(props: ComponentProps<typeof ErrorDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<ErrorDocument {...props} />)}`;
}
