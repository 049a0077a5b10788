import type { ReactNode } from 'react';
import type { HeldRegister } from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';
import { officePaths } from './paths.ts';
import { moment } from './words.ts';

interface SectionProps {
  id: string;
  title: string;
  className?: string | undefined;
  children: ReactNode;
}

export function Section({ id, title, className, children }: SectionProps) {
  return (
    <section className={className} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

export function Moment({ at, record }: { at: Date; record: { edition: Edition } }) {
  return <time dateTime={at.toISOString()}>{moment(at, record)}</time>;
}

/** Leads to the page of a registration. */
export function PersonLink({ id, name }: { id: string; name: string | undefined }) {
  return <a href={officePaths.registration(id)}>{name || 'Somebody whose data were removed'}</a>;
}

/** A link in a paragraph of its own; by default one that is easily pressed. */
export function LinkLine({
  to,
  look = 'more',
  children,
}: {
  to: string;
  look?: string;
  children: ReactNode;
}) {
  return (
    <p>
      <a href={to} className={look}>
        {children}
      </a>
    </p>
  );
}

export interface Way {
  path: string;
  back: string;
}

export function WayBack({ path, back }: Way) {
  return (
    <LinkLine to={path} look="">
      {back}
    </LinkLine>
  );
}

interface LinkListProps {
  name: string;
  links: readonly { href: string; current?: 'page' | 'true' | undefined; text: ReactNode }[];
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

export function Warning({ children, more }: { children: ReactNode; more?: ReactNode }) {
  return (
    <div className="notice notice--warning" role="alert">
      <p>{children}</p>
      {more}
    </div>
  );
}

interface PressFormProps {
  action: string;
  /** Of the session, without which no press is accepted. */
  token: string;
  hidden?: Readonly<Record<string, string>>;
  className?: string;
  children: ReactNode;
}

/** A form whose press says that it comes from this session. */
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

export function PressButton({ children, ...form }: Omit<PressFormProps, 'className'>) {
  return (
    <PressForm {...form}>
      <button type="submit" className="button button--quiet">
        {children}
      </button>
    </PressForm>
  );
}

export type Details = readonly (readonly [name: string, value: ReactNode])[];

/** Names with what there is to say of each; those without are left out. */
export function DetailsList({ rows }: { rows: Details }) {
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

/** Its heading, what stands in it, and the class of its cells; `plain` if what they say needs no heading on a phone. */
export type Column<Row> = readonly [
  heading: string,
  cellOf: (row: Row) => ReactNode,
  className?: string | undefined,
];

interface DataTableProps<Row> {
  /** In a `table--stacked` on a phone, each cell but the first begins with the heading of its column. */
  className?: string;
  caption?: ReactNode;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  foot?: readonly ReactNode[];
  /** The heading of the column that names a row, if it is not the first. */
  named?: string;
  /** With what each sheet of paper begins. */
  sheet?: string;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    className = 'table table--narrow',
    caption,
    columns,
    rows,
    foot,
    sheet,
    named = columns[0]?.[0],
  } = props;
  const row = (cells: readonly ReactNode[], key: number) => (
    <tr key={key}>
      {columns.map(([heading, , look], index) =>
        heading === named ? (
          <th key={heading} scope="row" className={look}>
            {cells[index]}
          </th>
        ) : (
          <td key={heading} className={look} data-label={look?.startsWith('plain') ? undefined : heading}>
            {cells[index]}
          </td>
        ),
      )}
    </tr>
  );
  return (
    <table className={className}>
      {caption && <caption>{caption}</caption>}
      <thead>
        {sheet && (
          <tr className="sheet">
            <td colSpan={columns.length}>{sheet}</td>
          </tr>
        )}
        <tr>
          {columns.map(([heading, , look]) => (
            <th key={heading} scope="col" className={look}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((one, index) =>
          row(
            columns.map(([, cellOf]) => cellOf(one)),
            index,
          ),
        )}
      </tbody>
      {foot && <tfoot>{row(foot, 0)}</tfoot>}
    </table>
  );
}

/** Why nothing goes out, and what the office does first. */
export function HeldNotice({ held, record }: { held: HeldRegister; record: { edition: Edition } }) {
  const { since, why, added } = held;
  const list = (
    <>
      <p>These registrations were added from Stripe. They are asked for the balance, and never charged:</p>
      <ul>
        {added.map(({ id, name }) => (
          <li key={id}>
            <PersonLink id={id} name={name} />
          </li>
        ))}
      </ul>
    </>
  );
  return (
    <Warning more={added.length > 0 && list}>
      No message, charge or refund goes out since <Moment at={since} record={record} />. {why} Please tell the
      person who looks after the site. Enter again what your own messages of the last hours tell: notes,
      plans, checks. Then <code>support release</code> ends this.
    </Warning>
  );
}

/** Why nothing is shown, and what works without it. */
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
