import type { ReactNode } from 'react';
import type { Edition } from '#shared/content/edition.ts';
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
    <LinkLine to={to} className="more">
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

export const TO_LIST = { path: officePaths.list, back: 'Back to all people' };

/** Whom or what a page is about. */
export function ForLine({ path, children }: { path: string; children: ReactNode }) {
  return (
    <p className="fine">
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
    <nav aria-label={name} className="chips">
      <ul>
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
    <div className="notice notice--warning" role="alert">
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

/** In a `table--stacked` on a phone, each cell but the first begins with the head of its column. */
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
  const { className = 'table table--narrow', caption, head, rows, foot, classes, named = 0 } = props;
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
          <td key={column} className={classes?.[column]} data-label={head?.[column]}>
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

/** Why there is no list, and what works without it. */
export function Unreadable() {
  return (
    <>
      <p role="alert">
        This cannot be read at the moment, because the site’s memory (Redis) or its register does not answer.
        Please load this page again in a few minutes.
      </p>
      <p>
        Nothing is lost. The site goes on taking registrations and payments, Stripe has all of them on record,
        and the messages that are due meanwhile are sent afterwards. In Stripe’s dashboard you can find
        everybody by name or e-mail address. If this lasts for more than half an hour, please tell the person
        who looks after the site.
      </p>
    </>
  );
}
