import { type PipeableStream, renderToPipeableStream, renderToStaticMarkup } from 'react-dom/server';
import type { SiteState } from '#shared/page.ts';
import { App } from './app.tsx';
import { Document, type PageAssets } from './document.tsx';
import { createStore, initialPageState } from './store/store.ts';

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

/** Renders the page from a fresh store. The stream stays one piece, so that React emits no inline script. */
export function renderPage(site: SiteState, assets: PageAssets, listeners: RenderListeners): PageRender {
  const store = createStore(initialPageState(site));
  const state = store.getState();
  const [head = '', tail = ''] = renderDocument(assets, JSON.stringify(state)).split(APPLICATION_SLOT);
  const stream = renderToPipeableStream(<App store={store} serverState={state} />, {
    ...listeners,
    progressiveChunkSize: Number.POSITIVE_INFINITY,
  });
  return { head, tail, pipe: stream.pipe, abort: stream.abort };
}

function renderDocument(assets: PageAssets, state: string): string {
  const stateJson = state.replaceAll('<', '\\u003c');
  return `<!doctype html>${renderToStaticMarkup(
    <Document assets={assets} stateJson={stateJson}>
      {APPLICATION_SLOT}
    </Document>,
  )}`;
}
