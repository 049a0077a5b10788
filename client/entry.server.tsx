import type { ComponentType } from 'react';
import {
  type PipeableStream,
  type RenderToPipeableStreamOptions,
  renderToPipeableStream,
  renderToStaticMarkup,
} from 'react-dom/server';
import { Provider } from 'react-redux';
import type { SiteState } from '#shared/page.ts';
import { Document, type PageAssets } from './document.tsx';
import { createStore } from './store/store.ts';

export { AddressDocument, ConfirmDocument, DetailsDocument } from './own-page/details.tsx';
export { ProofDocument } from './own-page/form-document.tsx';
export { CancelDocument, HandOverDocument, NameHolderDocument } from './own-page/leaving.tsx';
export { LinkDocument, WaitingDocument } from './own-page/link-documents.tsx';
export { LetterDocument, OwnPageDocument } from './own-page/own-page-document.tsx';
export type { PageProps } from './own-page/parts.tsx';
export { CardDocument, OnTheWayDocument, PayDocument } from './own-page/paying.tsx';
export { PlanDocument, ReceiptsDocument } from './own-page/payments.tsx';
export { QuestionsDocument } from './own-page/questions.tsx';
export { OfferDocument, TakeDocument } from './own-page/taking.tsx';
export { ErrorDocument, TermsDocument, TextDocument } from './ui/plain-documents.tsx';

export interface PageOptions {
  site: SiteState;
  assets: PageAssets;
  pageUrl: string;
}

/** Renders the document from a fresh store. The stream is not split, so that React emits no inline script. */
export function renderPage(
  { site, assets, pageUrl }: PageOptions,
  listeners: Pick<RenderToPipeableStreamOptions, 'onShellReady' | 'onShellError' | 'onError'>,
): PipeableStream {
  const store = createStore({ site });
  return renderToPipeableStream(
    <Provider store={store}>
      <Document assets={assets} pageUrl={pageUrl} site={site} state={store.getState()} />
    </Provider>,
    { ...listeners, progressiveChunkSize: Number.POSITIVE_INFINITY },
  );
}

export function renderDocument<Props extends object>(Page: ComponentType<Props>, props: Props): string {
  return `<!doctype html>${renderToStaticMarkup(<Page {...props} />)}`;
}
