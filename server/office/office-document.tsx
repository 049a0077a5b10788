import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { SignedIn } from '#server/users/user.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';
import { officePaths } from './paths.ts';

interface OfficeDocumentProps {
  title: string;
  /** The URL of the style sheet, `assets.officeStyle`. */
  style: string;
  /** Absent on the sign-in page. */
  signedIn?: SignedIn;
  children: ReactNode;
}

/** A page of the office, as HTML. It needs no script. */
export function renderOfficeDocument(props: OfficeDocumentProps): string {
  return `<!doctype html>${renderToStaticMarkup(<OfficeDocument {...props} />)}`;
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
      <form method="post" action={officePaths.signOut}>
        <input type="hidden" name="token" value={token} />
        <span className="office-user">{user.name}</span>
        <button type="submit" className="button button--quiet">
          Sign out
        </button>
      </form>
    </header>
  );
}
