import { officePaths } from '#server/office/paths.ts';
import { needWords, stateWords } from '#server/office/state-words.ts';
import { overbookedBy } from '#server/payments/place-of-record.ts';
import type { PlaceCounts } from '#server/register/places.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { DaysPicture } from './days-picture.tsx';
import type { Days, Totals } from './figures.ts';
import { Glance } from './glance.tsx';
import { addressOf, type Found, isAbandoned, type ListQuery, type Sort } from './list-query.ts';
import type { LocalClock } from './local-clock.ts';
import { PlacesAtAGlance } from './places.tsx';
import { type Group, groupNames, type Row } from './row.ts';

const ROWS_A_PAGE = 50;

export interface ListView {
  query: ListQuery;
  editions: readonly Edition[];
  found: Found;
  clock: LocalClock;
  /** Absent if the list is filtered or on a later page: then a reader does not look for the overview. */
  overview?: { totals: Totals; days: Days; places?: PlaceCounts };
}

const groupWords: Readonly<Record<Group, string>> = {
  all: 'All',
  'needs-you': 'Needs you',
  'letter-failed': 'Letter failed',
  bounced: 'Letter bounced',
  late: 'Late',
  due: 'Due later',
  paid: 'Paid in full',
  registered: 'Registered',
  'by-check': 'By check',
  waived: 'Waived',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  unpaid: 'Deposit not paid',
};

/** The office's list of registrations, with search, overview and filters. */
export function ListPage(view: ListView) {
  const { query, editions, found, overview } = view;
  const { facts, timetable } = query.edition;
  const total = found.counts.get('all') ?? 0;
  const isEmpty = total === 0 && query.search === '';
  return (
    <>
      <p className="office-edition">
        {`${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}. Days and hours are ${timetable.timeZone.name}.`}
      </p>
      {editions.length > 1 && <Editions editions={editions} query={query} />}
      {isEmpty ? (
        <p className="office-empty">
          Nobody has registered for this retreat yet. Each registration appears here as soon as somebody has
          entered her details on the site.
        </p>
      ) : (
        <>
          <Search query={query} />
          {overview && <NeedsYou {...view} />}
          {overview?.places && (
            <PlacesAtAGlance
              places={overview.places}
              tooMany={overbookedBy(
                facts,
                found.rows.map(({ record }) => record),
              )}
            />
          )}
          {overview && <Glance totals={overview.totals} query={query} />}
          {overview && <DaysPicture days={overview.days} />}
          <Registrations {...view} />
        </>
      )}
    </>
  );
}

function NeedsYou({ query, found }: ListView) {
  const count = found.counts.get('needs-you') ?? 0;
  if (count === 0) return <p>Nothing needs you at the moment.</p>;
  return (
    <p>
      <a className="office-more" href={addressOf({ ...query, group: 'needs-you' })}>
        {count === 1 ? 'One registration needs you' : `${numbers.format(count)} registrations need you`}
      </a>
      .
    </p>
  );
}

function Editions({ editions, query }: { editions: readonly Edition[]; query: ListQuery }) {
  return (
    <nav aria-label="Retreats" className="office-links">
      <ul className="office-links-list">
        {editions.map((edition) => (
          <li key={edition.facts.id}>
            <a
              href={addressOf({ ...query, edition, search: '', group: 'all', page: 1 })}
              aria-current={edition === query.edition ? 'page' : undefined}
            >
              {`${edition.facts.title}, ${formatDateRange(edition.facts.startDate, edition.facts.endDate)}`}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Search({ query: { edition, search, group, sort } }: { query: ListQuery }) {
  return (
    <search>
      <form method="get" action={officePaths.list} className="office-search">
        <input type="hidden" name="edition" value={edition.facts.id} />
        {group !== 'all' && <input type="hidden" name="show" value={group} />}
        {sort !== 'newest' && <input type="hidden" name="sort" value={sort} />}
        <label htmlFor="search">Name, e-mail, phone or payment</label>
        <input id="search" name="search" type="search" defaultValue={search} autoComplete="off" />
        <button type="submit" className="button button--quiet">
          Search
        </button>
      </form>
    </search>
  );
}

function Registrations(view: ListView) {
  const { query, found, clock } = view;
  const pages = Math.max(1, Math.ceil(found.rows.length / ROWS_A_PAGE));
  const page = Math.min(query.page, pages);
  const first = (page - 1) * ROWS_A_PAGE;
  const rows = found.rows.slice(first, first + ROWS_A_PAGE);
  return (
    <section aria-labelledby="registrations" className="office-registrations">
      <h2 id="registrations">{headingOf(query)}</h2>
      <Groups query={query} found={found} />
      {rows.length === 0 ? (
        <NothingFound query={query} />
      ) : (
        <>
          <table className="office-table">
            <caption>
              {`${first + 1}–${first + rows.length} of ${numbers.format(found.rows.length)}, ${query.sort === 'name' ? 'by last name' : 'the newest first'}`}
            </caption>
            <thead>
              <tr>
                <SortedColumn query={query} sort="name" order="ascending">
                  Name
                </SortedColumn>
                <th scope="col">Stands at</th>
                <th scope="col">Paid</th>
                <th scope="col">To pay</th>
                <SortedColumn query={query} sort="newest" order="descending">
                  Began
                </SortedColumn>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Registration
                  key={row.record.id}
                  row={row}
                  clock={clock}
                  isAbandoned={isAbandoned(row, found)}
                />
              ))}
            </tbody>
          </table>
          <Pages query={query} page={page} pages={pages} />
          <p>
            <a className="office-more" href={addressOf({ ...query, page: 1 }, officePaths.csv)}>
              {`${found.rows.length === 1 ? 'This one' : `These ${numbers.format(found.rows.length)}`} for a spreadsheet (CSV)`}
            </a>
          </p>
        </>
      )}
    </section>
  );
}

interface SortedColumnProps {
  query: ListQuery;
  sort: Sort;
  order: 'ascending' | 'descending';
  children: string;
}

/** The heading of a column by which the list can be sorted. */
function SortedColumn({ query, sort, order, children }: SortedColumnProps) {
  return (
    <th scope="col" aria-sort={query.sort === sort ? order : 'none'}>
      <a href={addressOf({ ...query, sort, page: 1 })} title={`Sort by: ${children}`}>
        {children}
      </a>
    </th>
  );
}

const numbers = new Intl.NumberFormat('en-US');

function headingOf({ search, group }: ListQuery): string {
  const what = group === 'all' ? 'All registrations' : groupWords[group];
  return search === '' ? what : `${what}, searched for “${search}”`;
}

function Groups({ query, found }: { query: ListQuery; found: Found }) {
  return (
    <nav aria-label="Filters" className="office-links">
      <ul className="office-links-list">
        {groupNames.map((group) => (
          <li key={group}>
            <a
              href={addressOf({ ...query, group, page: 1 })}
              aria-current={group === query.group ? 'true' : undefined}
            >
              {groupWords[group]}{' '}
              <span className="office-count">{numbers.format(found.counts.get(group) ?? 0)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function NothingFound({ query }: { query: ListQuery }) {
  const { search, group } = query;
  return (
    <p className="office-empty">
      {search === ''
        ? 'There is nobody here at the moment. '
        : 'Nobody was found. All words have to be in her name, e-mail address, phone number or payment: try fewer, or a part of one. '}
      {search !== '' && group !== 'all' && (
        <>
          <a href={addressOf({ ...query, group: 'all', page: 1 })}>Search among all registrations</a>, or{' '}
        </>
      )}
      <a href={addressOf({ ...query, search: '', group: 'all', page: 1 })}>show all registrations</a>.
    </p>
  );
}

interface RegistrationProps {
  row: Row;
  clock: LocalClock;
  isAbandoned: boolean;
}

function Registration({ row, clock, isAbandoned }: RegistrationProps) {
  const { record, state, needs, inCents, backCents, dueAt, isLate } = row;
  const { firstName, lastName, email, phoneNumber } = record.registrant;
  const name = `${firstName} ${lastName}`.trim();
  const [need, ...others] = needs;
  return (
    <tr className={isAbandoned ? 'office-abandoned' : undefined}>
      <th scope="row">
        <a href={officePaths.registration(record.id)}>{name === '' ? 'Forgotten' : name}</a>
        <span className="office-fine">{email}</span>
        <span className="office-fine">{phoneNumber}</span>
      </th>
      <td data-label="Stands at">
        {isAbandoned ? 'Not finished; she registered another time' : stateWords[state]}
        {need && (
          <strong className="office-need">
            {needWords[need.need]}
            {others.length > 0 && `, and ${others.length} more`}
          </strong>
        )}
      </td>
      <td data-label="Paid" className="office-sum">
        {inCents === 0 ? 'nothing yet' : formatCents(inCents)}
        {backCents > 0 && <span className="office-fine">{`${formatCents(backCents)} went back`}</span>}
      </td>
      <td data-label="To pay" className="office-sum">
        {toPayWords(row)}
        {dueAt && (
          <span className="office-fine">
            {isLate ? 'since ' : 'on '}
            {formatDate(clock.dateOf(dueAt))}
          </span>
        )}
      </td>
      <td data-label="Began" className="office-day">
        {formatDate(clock.dateOf(record.begunAt))}
      </td>
    </tr>
  );
}

function toPayWords({ record, toPayCents }: Row): string {
  if (toPayCents > 0) return formatCents(toPayCents);
  return record.deposit === 'unpaid' ? 'the deposit' : 'nothing';
}

function Pages({ query, page, pages }: { query: ListQuery; page: number; pages: number }) {
  const { sort } = query;
  if (pages === 1) return null;
  return (
    <nav aria-label="Pages" className="office-pages">
      {page > 1 && (
        <a rel="prev" href={addressOf({ ...query, page: page - 1 })}>
          {sort === 'name' ? 'Back' : 'Newer'}
        </a>
      )}
      <span>{`Page ${page} of ${pages}`}</span>
      {page < pages && (
        <a rel="next" href={addressOf({ ...query, page: page + 1 })}>
          {sort === 'name' ? 'Next' : 'Older'}
        </a>
      )}
    </nav>
  );
}
