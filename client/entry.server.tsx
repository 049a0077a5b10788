import type { ComponentProps } from 'react';
import {
  type PipeableStream,
  type RenderToPipeableStreamOptions,
  renderToPipeableStream,
  renderToStaticMarkup,
} from 'react-dom/server';
import { Provider } from 'react-redux';
import type { PlaceView } from '#shared/content/place-view.ts';
import type { OfficeContact, SiteState } from '#shared/page.ts';
import { Document, type PageAssets } from './document.tsx';
import { ErrorDocument } from './error-document.tsx';
import { PlainDocument } from './plain-document.tsx';
import { createStore, initialPageState } from './store/store.ts';
import { TermsDocument } from './terms-document.tsx';
import { IllustrationAddresses } from './ui/illustration.tsx';

/** What a render depends on. */
export interface PageOptions {
  site: SiteState;
  assets: PageAssets;
  /** The page's own address, as visitors and search engines know it. */
  pageUrl: string;
}

/** Renders the document from a fresh store. The stream stays one piece, so that React emits no inline script. */
export function renderPage(
  { site, assets, pageUrl }: PageOptions,
  listeners: Pick<RenderToPipeableStreamOptions, 'onShellReady' | 'onShellError' | 'onError'>,
): PipeableStream {
  const store = createStore(initialPageState(site));
  return renderToPipeableStream(
    <IllustrationAddresses value={assets.illustrations}>
      <Provider store={store}>
        <Document assets={assets} pageUrl={pageUrl} site={site} state={store.getState()} />
      </Provider>
    </IllustrationAddresses>,
    { ...listeners, progressiveChunkSize: Number.POSITIVE_INFINITY },
  );
}

/** Renders the page that stands in for one that failed. */
export function renderErrorDocument(props: ComponentProps<typeof ErrorDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<ErrorDocument {...props} />)}`;
}

/** Renders a version of an edition's terms as a page of its own. */
export function renderTermsDocument(props: ComponentProps<typeof TermsDocument>): string {
  return `<!doctype html>${renderToStaticMarkup(<TermsDocument {...props} />)}`;
}

interface PlaceProps {
  view: PlaceView;
  office: OfficeContact;
  styles: readonly string[];
}

export function renderPlaceDocument({
  view,
  styles,
}: PlaceProps & {
  script: string | undefined;
  stripe: { publishableKey: string; scriptUrl: string | null };
}): string {
  return plain('Your place', JSON.stringify({ ...view, edition: view.edition.facts.id }), styles);
}

export function renderReceiptsDocument({ view, styles }: PlaceProps): string {
  return plain('Receipts', JSON.stringify(view.payments), styles);
}

export function renderLinkDocument({
  reason,
  styles,
}: Omit<PlaceProps, 'view'> & { reason: 'none' | 'invalid' | 'asked' | 'too-many' }): string {
  return plain('The way to your page', reason, styles);
}

function plain(title: string, text: string, styles: readonly string[]): string {
  const page = (
    <PlainDocument title={title} styles={styles} className="terms-page">
      <h1>{title}</h1>
      <p>{text}</p>
    </PlainDocument>
  );
  return `<!doctype html>${renderToStaticMarkup(page)}`;
}
