import { isAudience, writeMessage } from '#server/office/commands/message-commands.ts';
import { DataTable, LinkList, MoreLine, Warning } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords, wordsOfState } from '#server/office/state-words.ts';
import { people, peopleDo, sentence } from '#server/office/words.ts';
import type { HeldRegister } from '#server/registration/registration.ts';
import { type LocalClock, localClock } from '#server/service/local-clock.ts';
import { type Group, groupNames } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatDateRange, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import {
  addressOf,
  everybodyOf,
  type ListedRow,
  type ListQuery,
  ROWS_A_PAGE,
  type Sums,
  sumsOf,
  type Tally,
} from './find-listed.ts';
import { HeldNotice } from './held-notice.tsx';

interface ListView {
  /** Its page is one that there is. */
  query: ListQuery;
  /** All that match the search, of each edition. */
  tallied: ReadonlyMap<Edition, readonly Tally[]>;
  /** Those on the page. */
  rows: readonly ListedRow[];
  /** What has changed lately may be missing. */
  isOutdated: boolean;
  held: HeldRegister | undefined;
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

/** The filters that stand in the row if they have anybody. */
const USUAL: readonly Group[] = ['all', 'needs-you', 'registered', 'due', 'late', 'paid', 'cancelled'];

/** The office's list of registrations, with filters. */
export function ListPage({ query, tallied, rows, isOutdated, held }: ListView) {
  const { edition, search, group } = query;
  const tallies = tallied.get(edition) ?? [];
  return (
    <>
      {isOutdated && (
        <Warning>
          The site can only read its register at the moment. This is the list as it was: what has changed in
          the last minutes is missing. Please tell the person who looks after the site.
        </Warning>
      )}
      {held && <HeldNotice held={held} record={query} />}
      <TitleLine query={query} tallied={tallied} />
      {(search !== '' || tallies.length > 0) && <Filters query={query} tallies={tallies} />}
      {rows.length > 0 ? (
        <Registrations query={query} rows={rows} sums={sumsOf(tallies, group)} />
      ) : (
        <p>
          {search !== ''
            ? 'There is nobody here. All words have to be in her name, e-mail address, phone number or payment: try fewer, or a part of one.'
            : tallies.length > 0
              ? 'There is nobody here at the moment.'
              : 'Nobody has registered for this retreat yet. Each registration appears here as soon as somebody has entered her details on the site, or the office has registered her.'}
        </p>
      )}
    </>
  );
}

/** Which retreat, or what was searched, and the ways to others. */
function TitleLine({ query: { edition, search }, tallied }: Pick<ListView, 'query' | 'tallied'>) {
  const countOf = (one: Edition) => sumsOf(tallied.get(one) ?? [], 'all').count;
  const titleOf = ({ facts }: Edition) =>
    `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`;
  return (
    <div className="row people-title">
      <div>
        {search !== '' && (
          <p className="row">
            <strong>{`${peopleDo(countOf(edition), 'matches', 'match')} “${search}”`}</strong>
            <a className="more" href={addressOf(everybodyOf(edition))}>
              Show everybody
            </a>
          </p>
        )}
        <p className="fine">{titleOf(edition)}</p>
        {[...tallied.keys()].map(
          (one) =>
            one !== edition && (
              <p key={one.facts.id} className="fine">
                <a href={addressOf({ ...everybodyOf(one), search })}>{`${titleOf(one)} (${countOf(one)})`}</a>
              </p>
            ),
        )}
      </div>
      <a className="button button--quiet on-screen" href={officePaths.register(edition.facts.id)}>
        Register somebody
      </a>
    </div>
  );
}

function Filters({ query, tallies }: { query: ListQuery; tallies: readonly Tally[] }) {
  const all = [...USUAL, ...groupNames.filter((group) => !USUAL.includes(group))];
  const inRow = all.filter(
    (group) => group === query.group || (USUAL.includes(group) && sumsOf(tallies, group).count > 0),
  );
  const linkTo = (group: Group) => ({
    href: addressOf({ ...query, group, page: 1 }),
    current: group === query.group ? ('true' as const) : undefined,
    text: (
      <>
        {groupWords[group]} <span>{numbers.format(sumsOf(tallies, group).count)}</span>
      </>
    ),
  });
  const folded = all.filter((group) => !inRow.includes(group));
  return (
    <div className="people-filters on-screen">
      <LinkList name="Filters" links={inRow.map(linkTo)} />
      <details>
        <summary>More filters</summary>
        <LinkList name="More filters" links={folded.map(linkTo)} />
      </details>
    </div>
  );
}

const numbers = new Intl.NumberFormat('en-US');

function Registrations({ query, rows, sums }: Pick<ListView, 'query' | 'rows'> & { sums: Sums }) {
  const { sort, page, edition } = query;
  const before = (page - 1) * ROWS_A_PAGE;
  const shown = `${before + 1}–${before + rows.length} of ${numbers.format(sums.count)}`;
  const clock = localClock(edition.timetable.timeZone.id);
  const pages = [
    { text: 'Previous page', to: page - 1, isThere: page > 1 },
    { text: 'Next page', to: page + 1, isThere: before + rows.length < sums.count },
  ]
    .filter(({ isThere }) => isThere)
    .map(({ text, to }) => ({ href: addressOf({ ...query, page: to }), current: undefined, text }));
  const other = sort === 'name' ? 'newest' : 'name';
  return (
    <>
      <DataTable
        className="table table--stacked people"
        caption={
          <>
            {`${shown}, ${sort === 'name' ? 'by last name' : 'the newest first'}. `}
            <a className="more on-screen" href={addressOf({ ...query, sort: other, page: 1 })}>
              {sort === 'name' ? 'Show the newest first' : 'Sort by last name'}
            </a>
          </>
        }
        head={['Name', 'State', 'Paid', 'To pay', 'Began']}
        classes={[undefined, undefined, 'sum', 'sum', 'began']}
        rows={rows.map((row) => cellsOf(row, clock))}
        foot={[people(sums.count), '', ...moneyCells(sums), '']}
      />
      {pages.length > 0 && <LinkList name="Pages" links={pages} />}
      <HandOn query={query} count={sums.count} />
    </>
  );
}

function cellsOf(row: ListedRow, clock: LocalClock) {
  const { registration, firstName, lastName, namesBefore, email, phoneNumber } = row;
  const { state, groups, needs, isAbandoned, dueAt, begunAt } = row;
  const [need, ...others] = needs;
  const due = dueAt && formatMonthAndDay(clock.dateOf(dueAt));
  return [
    <>
      <a href={officePaths.registration(registration)}>{`${firstName} ${lastName}`.trim() || 'Forgotten'}</a>
      {namesBefore && <span className="fine">before: {namesBefore}</span>}
      <span className="fine contact">{`${email} ${phoneNumber}`}</span>
    </>,
    <>
      {isAbandoned ? 'Not finished; she registered another time' : wordsOfState(state)}
      {need && (
        <strong className="need">
          {needWords[need]}
          {others.length > 0 && `, and ${others.length} more`}
        </strong>
      )}
    </>,
    ...moneyCells(row, due && `${groups.includes('late') ? 'since' : 'by'} ${due}`),
    formatDate(clock.dateOf(begunAt)),
  ];
}

/** Empty where there is nothing to tell. */
function moneyCells({ inCents, backCents, toPayCents }: Omit<Sums, 'count'>, due: string | null = null) {
  const cell = (cents: number, more: string | null) =>
    cents > 0 && (
      <>
        {formatCents(cents)} {more && <span className="fine">{more}</span>}
      </>
    );
  const back = backCents > 0 ? `${formatCents(backCents)} went back` : null;
  return [cell(inCents, back), cell(toPayCents, due)];
}

/** What can be done with all of a filter, and with all who come. */
function HandOn({ query, count }: { query: ListQuery; count: number }) {
  const { edition, search, group } = query;
  const these = count === 1 ? 'this one' : `these ${numbers.format(count)}`;
  const everybody = everybodyOf(edition);
  return (
    <div className="row people-hand-on on-screen">
      {search === '' && isAudience(group) && (
        <a
          className="button button--quiet"
          href={`${officePaths.announce(edition.facts.id, writeMessage.id)}?to=${group}`}
        >
          {`Write to ${these}`}
        </a>
      )}
      <details>
        <summary>Hand on</summary>
        <MoreLine to={addressOf({ ...query, page: 1 }, officePaths.csv)}>
          {`${sentence(these)} as a spreadsheet (CSV)`}
        </MoreLine>
        <MoreLine to={addressOf(everybody, officePaths.participants)}>All participants, to print</MoreLine>
        <MoreLine to={addressOf(everybody, officePaths.participantsCsv)}>
          Their names for the video host (CSV)
        </MoreLine>
      </details>
    </div>
  );
}
