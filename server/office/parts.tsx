import type { Response } from 'express';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { RenderFailure } from '#server/ops/create-ops-app.ts';
import type { Assets } from '#server/page/assets.ts';
import { type SignedIn, signedInOf } from '#server/users/user.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { Edition } from '#shared/content/edition.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';
import { officePaths } from './paths.ts';
import { moment } from './words.ts';

interface SectionProps {
  id: string;
  title: string;
  className?: string | undefined;
  children: ReactNode;
}

/** A part of a page, under a heading. */
export function Section({ id, title, className, children }: SectionProps) {
  return (
    <section className={className} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A moment in the retreat's time zone. */
export function Moment({ at, record }: { at: Date; record: { edition: Edition } }) {
  return <time dateTime={at.toISOString()}>{moment(at, record)}</time>;
}

interface LinkLineProps {
  to: string;
  className?: string;
  children: ReactNode;
}

/** A link in a paragraph of its own. */
export function LinkLine({ to, className, children }: LinkLineProps) {
  return (
    <p>
      <a href={to} className={className}>
        {children}
      </a>
    </p>
  );
}

/** A link of its own, which is easily pressed. */
export function MoreLine({ to, children }: Omit<LinkLineProps, 'className'>) {
  return (
    <LinkLine to={to} className="office-more">
      {children}
    </LinkLine>
  );
}

/** A link to where the user may go on, after why there is nothing else. */
export function WayBack({ path, back, children }: { path: string; back: string; children?: ReactNode }) {
  return (
    <>
      {children && <p>{children}</p>}
      <LinkLine to={path}>{back}</LinkLine>
    </>
  );
}

export const TO_LIST = { path: officePaths.list, back: 'Back to all registrations' };

/** Whom or what a page is about. */
export function ForLine({ path, children }: { path: string; children: ReactNode }) {
  return (
    <p className="registration-fine">
      For <a href={path}>{children}</a>
    </p>
  );
}

interface LinkListProps {
  name: string;
  links: readonly { href: string; current: 'page' | 'true' | undefined; text: ReactNode }[];
}

/** Links to the same about something else; one of them may be what is shown. */
export function LinkList({ name, links }: LinkListProps) {
  return (
    <nav aria-label={name} className="office-links">
      <ul className="office-links-list">
        {links.map(({ href, current, text }) => (
          <li key={href}>
            <a href={href} aria-current={current}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What did not work, or must not be overlooked. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <div className="registration-notice registration-notice--warning" role="alert">
      <p>{children}</p>
    </div>
  );
}

interface PressFormProps {
  action: string;
  /** Of the session, without which no press is accepted. */
  token: string;
  /** What it sends beside its fields. */
  hidden?: Readonly<Record<string, string>>;
  className?: string;
  children: ReactNode;
}

/** A form that is pressed, whose press says that it comes from this session. */
export function PressForm({ action, token, hidden, className, children }: PressFormProps) {
  return (
    <form className={className} method="post" action={action}>
      {Object.entries({ token, ...hidden }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

/** Names with what there is to say of each; those without are left out. */
export function DetailsList({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="details-list">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

type Cells = readonly ReactNode[];

interface DataTableProps {
  className?: string;
  caption?: ReactNode;
  head?: readonly string[];
  /** The first cell of a row names it, unless another one does. */
  rows: readonly Cells[];
  foot?: Cells;
  /** The class of the cells of each column. */
  classes?: readonly (string | undefined)[];
  named?: number;
}

export function DataTable(props: DataTableProps) {
  const { className = 'registration-table', caption, head, rows, foot, classes, named = 0 } = props;
  const row = (cells: Cells, key: number) => (
    <tr key={key}>
      {cells.map((cell, column) =>
        column === named ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, and two cells may be the same
          <th key={column} scope="row" className={classes?.[column]}>
            {cell}
          </th>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <td key={column} className={classes?.[column]}>
            {cell}
          </td>
        ),
      )}
    </tr>
  );
  return (
    <table className={className || undefined}>
      {caption && <caption>{caption}</caption>}
      {head && (
        <thead>
          <tr>
            {head.map((heading, column) => (
              <th key={heading} scope="col" className={classes?.[column]}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>{rows.map(row)}</tbody>
      {foot && <tfoot>{row(foot, 0)}</tfoot>}
    </table>
  );
}

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
  return (res: Response, status: number, title: string, children: ReactNode): undefined => {
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
        <a href={officePaths.letters}>Messages</a>
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
