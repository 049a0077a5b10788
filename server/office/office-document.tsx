import type { Response } from 'express';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { RenderFailure } from '#server/ops/ops-protection.ts';
import type { Assets } from '#server/page/assets.ts';
import { type SignedIn, signedInOf } from '#server/users/user.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';
import { PressForm, WayBack } from './parts.tsx';
import { officePaths } from './paths.ts';

interface OfficeDocumentProps {
  title: string;
  /** The URL of the style sheet, `assets.officeStyle`. */
  style: string;
  /** Absent on the sign-in page. */
  signedIn?: SignedIn | undefined;
  children: ReactNode;
}

/** A page of the office, as HTML. It needs no script. */
export function renderOfficeDocument(props: OfficeDocumentProps): string {
  return `<!doctype html>${renderToStaticMarkup(<OfficeDocument {...props} />)}`;
}

/** Returns the function that sends pages to who is signed in; none is kept by a browser or a proxy. */
export function pageSender({ officeStyle: style }: Pick<Assets, 'officeStyle'>) {
  return (res: Response, status: number, title: string, children: ReactNode): void => {
    const html = renderOfficeDocument({ title, style, signedIn: signedInOf(res), children });
    res.status(status).set('Cache-Control', 'no-store').type('html').send(html);
  };
}

function OfficeDocument({ title, style, signedIn, children }: OfficeDocumentProps) {
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
        {signedIn && <Banner signedIn={signedIn} />}
        <main>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

function Banner({ signedIn: { user, token } }: { signedIn: SignedIn }) {
  return (
    <header className="office-banner">
      <nav aria-label="Office">
        <a href={officePaths.list}>Registrations</a>
        <a href={officePaths.letters}>Letters</a>
        {facts.places !== undefined && <a href={officePaths.waiting}>Waiting list</a>}
        {user.role === 'support' && <a href={officePaths.status}>Status</a>}
      </nav>
      <PressForm action={officePaths.signOut} token={token}>
        <span className="office-user">{user.name}</span>
        <button type="submit" className="button button--quiet">
          Sign out
        </button>
      </PressForm>
    </header>
  );
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'Not open to you',
  404: 'Page not found',
};

/** The error page for users. */
export function renderFailure(
  { status, message }: Parameters<RenderFailure>[0],
  style: string,
  signedIn?: SignedIn,
): string {
  const title = TITLES[status] ?? 'This did not work';
  const words =
    message ?? 'Something unexpected happened. Please try again; if it happens again, tell support.';
  const [path, back] = signedIn
    ? [officePaths.list, 'To the registrations']
    : [officePaths.signIn, 'To the sign-in'];
  const children = (
    <WayBack path={path} back={back}>
      {words}
    </WayBack>
  );
  return renderOfficeDocument({ title, style, signedIn, children });
}
