import type { IRouter } from 'express';
import { isRegisterAway, type Transaction } from '#server/database/database.ts';
import { needTitle } from '#server/letters/office-digest-words.ts';
import { type Office, readOrExplain } from '#server/office/office.ts';
import { DataTable, HeldNotice, LinkList, PersonLink, Warning } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { groupWords, people, peopleDo, wordsOfState } from '#server/office/words.ts';
import { localClock } from '#server/ops/local-clock.ts';
import { nameOf, readHeldIn } from '#server/registration/registration.ts';
import { refreshIndex } from '#server/worker/look.ts';
import { type Group, groupNames } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatDateRange, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import {
  addressOf,
  everybodyOf,
  type Failed,
  findFailed,
  type ListedRow,
  type ListQuery,
  ROWS_A_PAGE,
  readListed,
  readListQuery,
  readTallies,
  type Sums,
  sumsOf,
  type Tally,
} from './find-listed.ts';
import { HandOn } from './hand-on.tsx';

export function addListPage(router: IRouter, office: Office): void {
  const { database, editions, send } = office;
  router.get(officePaths.list, async (req, res) => {
    const asked = readListQuery(req.query, editions);
    const isSearch = asked.search !== '';
    const isAnywhere = isSearch && req.query.edition !== asked.edition.facts.id;
    const list = await readOrExplain(office, res, 'People', async () => {
      const failed = await findFailed(office);
      const isOutdated = !(await bringUpToDate(office));
      const read = await database.read((transaction) =>
        readList(transaction, editions, asked, isAnywhere, failed),
      );
      return { ...read, isOutdated };
    });
    if (!list) return;
    const { rows, tallied, query } = list;
    const searched = isAnywhere ? [...tallied.values()].flat() : (tallied.get(query.edition) ?? []);
    const [row] = rows;
    if (isSearch && row && query.group === 'all' && sumsOf(searched, 'all').count === 1)
      return res.redirect(303, officePaths.registration(row.registration));
    send(res, 200, 'People', <ListPage {...list} />);
  });
}

/** Has the index say what is true now, and returns whether it does: while the register can only be read, it cannot. */
async function bringUpToDate({ database, editions, now, logger }: Office): Promise<boolean> {
  try {
    for (const edition of editions) await refreshIndex(database, edition, now());
    return true;
  } catch (error) {
    if (!isRegisterAway(error)) throw error;
    const words = 'The list of registrations is shown as it was: the register cannot be written';
    logger.warn({ err: error }, words);
    return false;
  }
}

/** @param isAnywhere whether the first edition is shown in which the search finds somebody */
async function readList(
  transaction: Transaction,
  editions: readonly Edition[],
  asked: ListQuery,
  isAnywhere: boolean,
  failed: Failed,
) {
  const tallied = new Map<Edition, readonly Tally[]>();
  for (const edition of editions)
    tallied.set(edition, await readTallies(transaction, { ...asked, edition }, failed));
  const [first] = editions.filter((edition) => tallied.get(edition)?.length);
  const edition = (isAnywhere && first) || asked.edition;
  const { count } = sumsOf(tallied.get(edition) ?? [], asked.group);
  const page = Math.min(asked.page, Math.max(1, Math.ceil(count / ROWS_A_PAGE)));
  const query = { ...asked, edition, page };
  const onPage = { limit: ROWS_A_PAGE, offset: (page - 1) * ROWS_A_PAGE };
  const rows = await readListed(transaction, query, failed, onPage);
  return { query, tallied, rows, held: await readHeldIn(transaction) };
}

type ListView = Awaited<ReturnType<typeof readList>> & {
  /** What has changed lately may be missing. */
  isOutdated: boolean;
};

/** The filters that stand in the row if they have anybody. */
const USUAL: readonly Group[] = ['all', 'needs-you', 'registered', 'due', 'late', 'paid', 'cancelled'];

function ListPage({ query, tallied, rows, isOutdated, held }: ListView) {
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
  const { dateOf } = localClock(edition.timetable.timeZone.id);
  const pageLink = (to: number, text: string) => ({ href: addressOf({ ...query, page: to }), text });
  const pages = [
    ...(page > 1 ? [pageLink(page - 1, 'Previous page')] : []),
    ...(before + rows.length < sums.count ? [pageLink(page + 1, 'Next page')] : []),
  ];
  return (
    <>
      <DataTable<ListedRow>
        className="table table--stacked people"
        caption={
          <>
            {`${shown}, ${sort === 'name' ? 'by last name' : 'the newest first'}. `}
            <a
              className="more on-screen"
              href={addressOf({ ...query, sort: sort === 'name' ? 'newest' : 'name', page: 1 })}
            >
              {sort === 'name' ? 'Show the newest first' : 'Sort by last name'}
            </a>
          </>
        }
        columns={[
          ['Name', Who],
          ['State', State, 'plain'],
          ['Paid', paidOf, 'sum'],
          ['To pay', (row) => toPayOf(row, row.dueAt && dateOf(row.dueAt)), 'sum'],
          ['Began', ({ begunAt }) => formatDate(dateOf(begunAt)), 'began'],
        ]}
        rows={rows}
        foot={[people(sums.count), '', paidOf(sums), toPayOf(sums), '']}
      />
      {pages.length > 0 && <LinkList name="Pages" links={pages} />}
      <HandOn query={query} count={sums.count} />
    </>
  );
}

function Who({ registration, firstName, lastName, namesBefore, email, phoneNumber }: ListedRow) {
  return (
    <>
      <PersonLink id={registration} name={nameOf({ firstName, lastName })} />
      {namesBefore && <span className="fine">before: {namesBefore}</span>}
      <span className="fine contact">{`${email} ${phoneNumber}`}</span>
    </>
  );
}

function State({ state, needs: [need, ...others] }: ListedRow) {
  return (
    <>
      {wordsOfState(state)}
      {need && (
        <strong className="need">
          {needTitle(need)}
          {others.length > 0 && `, and ${others.length} more`}
        </strong>
      )}
    </>
  );
}

const paidOf = ({ inCents, backCents }: Omit<Sums, 'count'>) =>
  inCents > 0 && <Sum cents={inCents} more={backCents > 0 && `${formatCents(backCents)} went back`} />;

const toPayOf = (
  { toPayCents, groups }: Pick<Sums, 'toPayCents'> & Partial<ListedRow>,
  due?: string | null,
) =>
  toPayCents > 0 && (
    <Sum
      cents={toPayCents}
      more={due && `${groups?.includes('late') ? 'since' : 'by'} ${formatMonthAndDay(due)}`}
    />
  );

function Sum({ cents, more }: { cents: number; more?: string | false | null | undefined }) {
  return (
    <>
      {formatCents(cents)} {more && <span className="fine">{more}</span>}
    </>
  );
}
