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
import { AddressDocument, ConfirmDocument, DataDocument, DetailsDocument } from './own-page/details.tsx';
import { ProofDocument } from './own-page/form-document.tsx';
import { CancelDocument, HandOverDocument, NameHolderDocument, TakeDocument } from './own-page/leaving.tsx';
import { LetterDocument } from './own-page/letter-document.tsx';
import { LinkDocument, WaitingDocument } from './own-page/link-documents.tsx';
import { OwnPageDocument } from './own-page/own-page-document.tsx';
import { CardDocument, OnTheWayDocument, PayDocument } from './own-page/paying.tsx';
import { PlanDocument, ReceiptsDocument } from './own-page/payments.tsx';
import { QuestionsDocument } from './own-page/questions.tsx';
import { createStore } from './store/store.ts';
import { ErrorDocument, TermsDocument, TextDocument } from './ui/plain-documents.tsx';

export type { PageProps } from './own-page/parts.tsx';

/** What a render depends on. */
export interface PageOptions {
  site: SiteState;
  assets: PageAssets;
  /** The page's own address, as visitors and search engines know it. */
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

/** Renders a page without a store as a whole document. */
type Renderer<Page extends (props: never) => unknown> = (props: Parameters<Page>[0]) => string;

function rendererOf<Props extends object>(Page: ComponentType<Props>): (props: Props) => string {
  return (props) => `<!doctype html>${renderToStaticMarkup(<Page {...props} />)}`;
}

export const renderErrorDocument: Renderer<typeof ErrorDocument> = rendererOf(ErrorDocument);
export const renderTermsDocument: Renderer<typeof TermsDocument> = rendererOf(TermsDocument);
export const renderTextDocument: Renderer<typeof TextDocument> = rendererOf(TextDocument);

// A registrant's pages, and what is shown when no valid link opens them.
export const renderOwnPageDocument: Renderer<typeof OwnPageDocument> = rendererOf(OwnPageDocument);
export const renderReceiptsDocument: Renderer<typeof ReceiptsDocument> = rendererOf(ReceiptsDocument);
export const renderLetterDocument: Renderer<typeof LetterDocument> = rendererOf(LetterDocument);
export const renderLinkDocument: Renderer<typeof LinkDocument> = rendererOf(LinkDocument);
export const renderCancelDocument: Renderer<typeof CancelDocument> = rendererOf(CancelDocument);
export const renderDetailsDocument: Renderer<typeof DetailsDocument> = rendererOf(DetailsDocument);
export const renderDataDocument: Renderer<typeof DataDocument> = rendererOf(DataDocument);
export const renderAddressDocument: Renderer<typeof AddressDocument> = rendererOf(AddressDocument);
export const renderQuestionsDocument: Renderer<typeof QuestionsDocument> = rendererOf(QuestionsDocument);
export const renderProofDocument: Renderer<typeof ProofDocument> = rendererOf(ProofDocument);
export const renderConfirmDocument: Renderer<typeof ConfirmDocument> = rendererOf(ConfirmDocument);
export const renderHandOverDocument: Renderer<typeof HandOverDocument> = rendererOf(HandOverDocument);
export const renderNameHolderDocument: Renderer<typeof NameHolderDocument> = rendererOf(NameHolderDocument);
export const renderPayDocument: Renderer<typeof PayDocument> = rendererOf(PayDocument);
export const renderCardDocument: Renderer<typeof CardDocument> = rendererOf(CardDocument);
export const renderOnTheWayDocument: Renderer<typeof OnTheWayDocument> = rendererOf(OnTheWayDocument);
export const renderPlanDocument: Renderer<typeof PlanDocument> = rendererOf(PlanDocument);
export const renderTakeDocument: Renderer<typeof TakeDocument> = rendererOf(TakeDocument);

/** What the links in the waiting list's letters lead to. */
export const renderWaitingDocument: Renderer<typeof WaitingDocument> = rendererOf(WaitingDocument);
