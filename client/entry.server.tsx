import type { ComponentProps } from 'react';
import {
  type PipeableStream,
  type RenderToPipeableStreamOptions,
  renderToPipeableStream,
  renderToStaticMarkup,
} from 'react-dom/server';
import { Provider } from 'react-redux';
import type { SiteState } from '#shared/page.ts';
import { Document, type PageAssets } from './document.tsx';
import { ErrorDocument } from './error-document.tsx';
import { CancelDocument } from './own-page/cancel-document.tsx';
import { ConfirmDocument } from './own-page/confirm-document.tsx';
import { AddressDocument, DetailsDocument } from './own-page/details-documents.tsx';
import { HandOverDocument, TakeDocument } from './own-page/hand-over-documents.tsx';
import { LinkDocument } from './own-page/link-document.tsx';
import { OwnPageDocument } from './own-page/own-page-document.tsx';
import { PlanDocument } from './own-page/plan-document.tsx';
import { ProofDocument } from './own-page/proof-document.tsx';
import { QuestionsDocument } from './own-page/questions.tsx';
import { ReceiptsDocument } from './own-page/receipts-document.tsx';
import { WaitingDocument } from './own-page/waiting-document.tsx';
import { createStore, initialPageState } from './store/store.ts';
import { TermsDocument } from './terms-document.tsx';

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
  const store = createStore(initialPageState(site));
  return renderToPipeableStream(
    <Provider store={store}>
      <Document assets={assets} pageUrl={pageUrl} site={site} state={store.getState()} />
    </Provider>,
    { ...listeners, progressiveChunkSize: Number.POSITIVE_INFINITY },
  );
}

/** Renders the page shown in place of one that does not exist or failed. */
export function renderErrorDocument(props: ComponentProps<typeof ErrorDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<ErrorDocument {...props} />)}`;
}

/** Renders a version of an edition's terms as a page of its own. */
export function renderTermsDocument(props: ComponentProps<typeof TermsDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<TermsDocument {...props} />)}`;
}

/** Renders the page of one registration. */
export function renderOwnPageDocument(props: ComponentProps<typeof OwnPageDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<OwnPageDocument {...props} />)}`;
}

/** Renders the receipts of one registration, to print. */
export function renderReceiptsDocument(props: ComponentProps<typeof ReceiptsDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<ReceiptsDocument {...props} />)}`;
}

/** Renders the page shown instead of a registrant's page when no valid link opens it. */
export function renderLinkDocument(props: ComponentProps<typeof LinkDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<LinkDocument {...props} />)}`;
}

/** Renders the page on which a registrant cancels. */
export function renderCancelDocument(props: ComponentProps<typeof CancelDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<CancelDocument {...props} />)}`;
}

/** Renders the page on which a registrant corrects her name and phone number. */
export function renderDetailsDocument(props: ComponentProps<typeof DetailsDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<DetailsDocument {...props} />)}`;
}

/** Renders the page on which a registrant changes her e-mail address. */
export function renderAddressDocument(props: ComponentProps<typeof AddressDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<AddressDocument {...props} />)}`;
}

/** Renders the page on which a registrant answers the questions of her edition. */
export function renderQuestionsDocument(props: ComponentProps<typeof QuestionsDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<QuestionsDocument {...props} />)}`;
}

/** Renders the page that only asks a registrant for her proof. */
export function renderProofDocument(props: ComponentProps<typeof ProofDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<ProofDocument {...props} />)}`;
}

/** Renders the page on which a new e-mail address is confirmed. */
export function renderConfirmDocument(props: ComponentProps<typeof ConfirmDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<ConfirmDocument {...props} />)}`;
}

/** Renders the page on which a registrant agrees to hand her place over. */
export function renderHandOverDocument(props: ComponentProps<typeof HandOverDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<HandOverDocument {...props} />)}`;
}

/** Renders the page on which a registrant agrees to her payment plan. */
export function renderPlanDocument(props: ComponentProps<typeof PlanDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<PlanDocument {...props} />)}`;
}

/** Renders the page on which somebody accepts a place that is handed over to her. */
export function renderTakeDocument(props: ComponentProps<typeof TakeDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<TakeDocument {...props} />)}`;
}

/** Renders the pages that the links in the waiting list's letters lead to. */
export function renderWaitingDocument(props: ComponentProps<typeof WaitingDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<WaitingDocument {...props} />)}`;
}
