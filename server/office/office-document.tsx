import type { Response } from 'express';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { type SignedIn, signedInOf } from '#server/office/users/user.ts';
import type { Assets } from '#server/web/assets.ts';
import type { RenderFailure } from '#server/web/create-ops-app.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';
import { PressButton, WayBack } from './parts.tsx';
import { officePaths } from './paths.ts';

interface OfficeDocumentProps {
  title: string;
  style: string;
  /** Absent on the sign-in page. */
  signedIn?: SignedIn | undefined;
  /** Of the page, to mark where one is. */
  path?: string;
  children: ReactNode;
}

/** A page of the office, as HTML. It needs no script. */
export function renderOfficeDocument(props: OfficeDocumentProps): string {
  return `<!doctype html>${renderToStaticMarkup(<OfficeDocument {...props} />)}`;
}

export type Send = (res: Response, status: number, title: string, children: ReactNode) => undefined;

/** None of these pages is kept by a browser or a proxy. */
export function pageSender({ officeStyle: style }: Pick<Assets, 'officeStyle'>): Send {
  return (res, status, title, children) => {
    const { path } = res.req;
    const html = renderOfficeDocument({ title, style, signedIn: signedInOf(res), path, children });
    res.status(status).set('Cache-Control', 'no-store').type('html').send(html);
  };
}

function OfficeDocument({ title, style, signedIn, path, children }: OfficeDocumentProps) {
  return (
    <html lang={PAGE_LANGUAGE}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} – Office of ${facts.siteName}`}</title>
        <link rel="icon" href={officePaths.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={style} />
      </head>
      <body className="office">
        {signedIn && <Bar signedIn={signedIn} path={path} />}
        <main>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

/** The words of each page of the bar, its address, and others below which a page belongs to it. */
const PAGES: readonly (readonly [words: string, path: string, ...others: string[]])[] = [
  ['Today', officePaths.today],
  [
    'People',
    officePaths.list,
    ...[officePaths.participants, officePaths.registration(''), `${officePaths.today}/new/`],
  ],
  ...(facts.places === undefined ? [] : [['Waiting list', officePaths.waiting] as const]),
  ['Messages', officePaths.letters],
  ['Money', officePaths.bookkeeping],
  ['Status', officePaths.status],
];

function Bar({ signedIn: { user, token }, path = '' }: { signedIn: SignedIn; path: string | undefined }) {
  const isBelow = (one: string) => path === one || (one !== officePaths.today && path.startsWith(one));
  return (
    <header className="bar">
      <nav aria-label="Office">
        <ul>
          {PAGES.map(
            ([words, ...paths]) =>
              (words !== 'Status' || user.role === 'support') && (
                <li key={words}>
                  <a
                    href={paths[0]}
                    aria-current={path === paths[0] ? 'page' : paths.some(isBelow) ? 'true' : undefined}
                  >
                    {words}
                  </a>
                </li>
              ),
          )}
        </ul>
      </nav>
      <search>
        <form method="get" action={officePaths.list}>
          <input
            name="search"
            type="search"
            aria-label="Find somebody: name, e-mail, phone or payment"
            placeholder="Find somebody"
            autoComplete="off"
          />
          <button type="submit" className="button button--quiet">
            Find
          </button>
        </form>
      </search>
      <span className="fine">{user.name}</span>
      <PressButton action={officePaths.signOut} token={token}>
        Sign out
      </PressButton>
    </header>
  );
}

const TITLES: Readonly<Record<number, string>> = {
  403: 'Not open to you',
  404: 'Page not found',
};

export function renderFailure(
  { status, message }: Parameters<RenderFailure>[0],
  style: string,
  signedIn?: SignedIn,
): string {
  const title = TITLES[status] ?? 'This did not work';
  const words =
    message ?? 'Something unexpected happened. Please try again; if it happens again, tell support.';
  const [path, back] = signedIn
    ? [officePaths.today, 'To today’s page']
    : [officePaths.signIn, 'To the sign-in'];
  const children = (
    <>
      <p>{words}</p>
      <WayBack path={path} back={back} />
    </>
  );
  return renderOfficeDocument({ title, style, signedIn, children });
}
