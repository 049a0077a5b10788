import { isAudience, writeMessage } from '#server/office/commands/message-commands.ts';
import { LinkList, MoreLine } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords, wordsOfState } from '#server/office/state-words.ts';
import type { HeldRegister } from '#server/registration/held-register.ts';
import type { PlaceCounts } from '#server/registration/places.ts';
import { type LocalClock, localClock } from '#server/service/local-clock.ts';
import { type Group, groupNames } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { Glance, PlacesAtAGlance, type Totals } from './figures.tsx';
import {
  addressAbout,
  addressOf,
  type ListedRow,
  type ListQuery,
  ROWS_A_PAGE,
  type Sort,
} from './find-listed.ts';
import { HeldNotice } from './held-notice.tsx';

interface ListView {
  /** Its page is one that there is. */
  query: ListQuery;
  editions: readonly Edition[];
  /** How many registrations that match the search are in each group. */
  counts: ReadonlyMap<Group, number>;
  /** Those on the page. */
  rows: readonly ListedRow[];
  /** What has changed lately may be missing. */
  isOutdated: boolean;
  held: HeldRegister | undefined;
  /** Absent if the list is filtered or on a later page: then a reader does not look for the overview. */
  overview?: { totals: Totals; places: PlaceCounts | undefined; isRoomMissing: boolean } | undefined;
}

const groupWords: Readonly<Record<Group, string>> = {
  all: 'All',
  'needs-you': 'Needs you',
  'call-back': 'To call back',
  'letter-failed': 'Message failed',
  bounced: 'Message bounced',
  late: 'Late',
  due: 'Due later',
  paid: 'Paid in full',
  registered: 'Registered',
  'by-check': 'By check',
  waived: 'Waived',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  held: 'Place held',
  unpaid: 'Deposit not paid',
  unanswered: 'Questions not answered',
  attending: 'Participants',
};

/** The office's list of registrations, with search, overview and filters. */
export function ListPage(view: ListView) {
  const { query, editions, counts, isOutdated, held, overview } = view;
  const { facts, timetable } = query.edition;
  const total = counts.get('all') ?? 0;
  const isEmpty = total === 0 && query.search === '';
  return (
    <>
      <p className="fine">
        {`${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}. Days and hours are ${timetable.timeZone.name}.`}
      </p>
      {isOutdated && (
        <p role="alert">
          The site can only read its register at the moment. This is the list as it was: what has changed in
          the last minutes is missing. Please tell the person who looks after the site.
        </p>
      )}
      {held && <HeldNotice held={held} record={query} />}
      {editions.length > 1 && <Editions editions={editions} query={query} />}
      {isEmpty ? (
        <p className="office-empty">
          Nobody has registered for this retreat yet. Each registration appears here as soon as somebody has
          entered her details on the site, or the office has{' '}
          <a href={officePaths.register(facts.id)}>registered somebody</a>.
        </p>
      ) : (
        <>
          <MoreLine to={addressAbout(query.edition, officePaths.participants)}>
            Participants: to print, and for the video host
          </MoreLine>
          <Search query={query} />
          <MoreLine to={officePaths.register(facts.id)}>Register somebody</MoreLine>
          {overview?.isRoomMissing && (
            <p>
              <a className="more" href={officePaths.letters}>
                {needWords['no-room']}
              </a>
              .
            </p>
          )}
          {overview && <NeedsYou {...view} />}
          {overview?.places && <PlacesAtAGlance places={overview.places} />}
          {overview && <Glance totals={overview.totals} query={query} />}
          {overview && (
            <MoreLine to={officePaths.bookkeeping}>
              Bookkeeping: payments, refunds and Stripe’s fees of a month
            </MoreLine>
          )}
          <Registrations {...view} />
        </>
      )}
    </>
  );
}

function NeedsYou({ query, counts, overview }: ListView) {
  const count = counts.get('needs-you') ?? 0;
  if (count === 0) return overview?.isRoomMissing ? null : <p>Nothing needs you at the moment.</p>;
  return (
    <p>
      <a className="more" href={addressOf({ ...query, group: 'needs-you' })}>
        {count === 1 ? 'One registration needs you' : `${numbers.format(count)} registrations need you`}
      </a>
      .
    </p>
  );
}

function Editions({ editions, query }: { editions: readonly Edition[]; query: ListQuery }) {
  const links = editions.map((edition) => ({
    href: addressOf({ ...query, edition, search: '', group: 'all', page: 1 }),
    current: edition === query.edition ? ('page' as const) : undefined,
    text: `${edition.facts.title}, ${formatDateRange(edition.facts.startDate, edition.facts.endDate)}`,
  }));
  return <LinkList name="Retreats" links={links} />;
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

function Registrations({ query, counts, rows }: ListView) {
  const { page } = query;
  const found = counts.get(query.group) ?? 0;
  const first = (page - 1) * ROWS_A_PAGE;
  const clock = localClock(query.edition.timetable.timeZone.id);
  const csvAddress = addressOf({ ...query, page: 1 }, officePaths.csv);
  return (
    <section aria-labelledby="registrations" className="office-registrations">
      <h2 id="registrations">{headingOf(query)}</h2>
      <Groups query={query} counts={counts} />
      {rows.length === 0 ? (
        <NothingFound query={query} />
      ) : (
        <>
          <table className="table">
            <caption>
              {`${first + 1}–${first + rows.length} of ${numbers.format(found)}, ${query.sort === 'name' ? 'by last name' : 'the newest first'}`}
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
                <Registration key={row.registration} row={row} clock={clock} />
              ))}
            </tbody>
          </table>
          <Pages query={query} pages={Math.ceil(found / ROWS_A_PAGE)} />
          <MoreLine to={csvAddress}>
            {`${found === 1 ? 'This one' : `These ${numbers.format(found)}`} for a spreadsheet (CSV)`}
          </MoreLine>
          {query.search === '' && isAudience(query.group) && (
            <MoreLine to={writeTo(query)}>
              {`Write to ${found === 1 ? 'this one' : `these ${numbers.format(found)}`}`}
            </MoreLine>
          )}
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

/** The form of a letter to a group. */
function writeTo({ edition, group }: ListQuery): string {
  return `${officePaths.announce(edition.facts.id, writeMessage.id)}?to=${group}`;
}

const numbers = new Intl.NumberFormat('en-US');

function headingOf({ search, group }: ListQuery): string {
  const what = group === 'all' ? 'All registrations' : groupWords[group];
  return search === '' ? what : `${what}, searched for “${search}”`;
}

function Groups({ query, counts }: Pick<ListView, 'query' | 'counts'>) {
  const shown = groupNames.filter(
    (group) => group !== 'attending' && (group !== 'unanswered' || query.edition.questions),
  );
  const links = shown.map((group) => ({
    href: addressOf({ ...query, group, page: 1 }),
    current: group === query.group ? ('true' as const) : undefined,
    text: (
      <>
        {groupWords[group]} <span className="office-count">{numbers.format(counts.get(group) ?? 0)}</span>
      </>
    ),
  }));
  return <LinkList name="Filters" links={links} />;
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

function Registration({ row, clock }: { row: ListedRow; clock: LocalClock }) {
  const { firstName, lastName, namesBefore, email, phoneNumber, state, groups, needs, isAbandoned } = row;
  const { inCents, backCents, dueAt, begunAt } = row;
  const name = `${firstName} ${lastName}`.trim();
  const [need, ...others] = needs;
  return (
    <tr className={isAbandoned ? 'office-abandoned' : undefined}>
      <th scope="row">
        <a href={officePaths.registration(row.registration)}>{name === '' ? 'Forgotten' : name}</a>
        {namesBefore && <span className="fine">before: {namesBefore}</span>}
        <span className="fine">{email}</span>
        <span className="fine">{phoneNumber}</span>
      </th>
      <td data-label="Stands at">
        {isAbandoned ? 'Not finished; she registered another time' : wordsOfState(state)}
        {need && (
          <strong className="need">
            {needWords[need]}
            {others.length > 0 && `, and ${others.length} more`}
          </strong>
        )}
      </td>
      <td data-label="Paid" className="office-sum">
        {inCents === 0 ? 'nothing yet' : formatCents(inCents)}
        {backCents > 0 && <span className="fine">{`${formatCents(backCents)} went back`}</span>}
      </td>
      <td data-label="To pay" className="office-sum">
        {toPayWords(row)}
        {dueAt && (
          <span className="fine">
            {groups.includes('late') ? 'since ' : 'on '}
            {formatDate(clock.dateOf(new Date(dueAt)))}
          </span>
        )}
      </td>
      <td data-label="Began" className="office-day">
        {formatDate(clock.dateOf(new Date(begunAt)))}
      </td>
    </tr>
  );
}

function toPayWords({ state, toPayCents }: ListedRow): string {
  if (toPayCents > 0) return formatCents(toPayCents);
  return state === 'begun' || state === 'lapsed' ? 'the deposit' : 'nothing';
}

function Pages({ query, pages }: { query: ListQuery; pages: number }) {
  const { sort, page } = query;
  if (pages <= 1) return null;
  return (
    <nav aria-label="Pages" className="row">
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
