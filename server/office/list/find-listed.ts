import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import * as v from 'valibot';
import type {
  RegistrationIndexRow,
  RegistrationRow,
  Tables,
  Transaction,
} from '#server/database/database.ts';
import { type OfficeNeed, officeNeeds } from '#server/letters/office-digest-words.ts';
import type { Office } from '#server/office/office.ts';
import { officePaths } from '#server/office/paths.ts';
import {
  type Answer,
  parseAnswers,
  type RegistrationState,
  registrationStates,
} from '#server/registration/registration.ts';
import { searchWords } from '#server/registration/search-text.ts';
import { failedLetters } from '#server/worker/outbox.ts';
import { type Group, groupNames } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { typedText } from '#shared/typed-text.ts';

const sorts = ['newest', 'name'] as const;

export const ROWS_A_PAGE = 50;

export interface ListQuery {
  edition: Edition;
  search: string;
  group: Group;
  sort: (typeof sorts)[number];
  page: number;
}

const MOST_TYPED = 200;

/** A URL with invalid values shows the list nevertheless. */
const querySchema = v.object({
  edition: v.fallback(v.string(), ''),
  search: v.fallback(v.pipe(v.string(), v.transform(typedText), v.maxLength(MOST_TYPED)), ''),
  show: v.fallback(v.picklist(groupNames), 'all'),
  sort: v.fallback(v.picklist(sorts), 'newest'),
  page: v.fallback(v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number), v.minValue(1)), 1),
});

export function everybodyOf(edition: Edition): ListQuery {
  return { edition, search: '', group: 'all', sort: 'newest', page: 1 };
}

/** @param editions the first is shown if the query names none */
export function readListQuery(query: unknown, editions: readonly [Edition, ...Edition[]]): ListQuery {
  const { edition, search, show, sort, page } = v.parse(querySchema, query);
  const asked = editions.find(({ facts }) => facts.id === edition);
  return { edition: asked ?? editions[0], search, group: show, sort, page };
}

/** The URL of a query; default values are left out. */
export function addressOf(
  { edition, search, group, sort, page }: ListQuery,
  path: string = officePaths.list,
): string {
  const asked = new URLSearchParams({ edition: edition.facts.id });
  if (search !== '') asked.set('search', search);
  if (group !== 'all') asked.set('show', group);
  if (sort !== 'newest') asked.set('sort', sort);
  if (page > 1) asked.set('page', String(page));
  return `${path}?${asked}`;
}

/** How many letters to each registration failed. */
export type Failed = ReadonlyMap<string, number>;

/** The queue alone knows. */
export async function findFailed(office: Office): Promise<Failed> {
  if (!(await office.mailQueue.isAnswering())) throw new Error('Redis does not answer');
  const failed = new Map<string, number>();
  for (const { registration: id } of await failedLetters({ ...office, ...office.admission }, office.now()))
    if (id) failed.set(id, (failed.get(id) ?? 0) + 1);
  return failed;
}

const OF_FAILED: readonly Group[] = ['needs-you', 'letter-failed'];

const SUMS = ['inCents', 'backCents', 'toPayCents'] as const;

/** A number of registrations, and the sums of their money in US cents. */
export type Sums = Record<'count' | (typeof SUMS)[number], number>;

/** Those that are in the same groups. */
export interface Tally extends Sums {
  groups: readonly Group[];
}

/** The registrations of an edition that match a search, by their groups. */
export async function readTallies(
  transaction: Transaction,
  searched: Pick<ListQuery, 'edition' | 'search'>,
  failed: Failed = new Map(),
): Promise<Tally[]> {
  const rows = await matching(transaction, searched)
    .select('groups')
    .select((eb) => eb.case().when(isAmong(failed)(eb)).then(1).else(0).end().as('isFailed'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .select(({ fn }) => SUMS.map((column) => fn.sum<number>(column).as(column)))
    .groupBy(['groups', 'isFailed'])
    .execute();
  return rows.map(({ groups, isFailed, ...sums }) => ({
    ...sums,
    groups: [...new Set([...knownIn(groups, groupNames), ...(isFailed ? OF_FAILED : [])])],
  }));
}

export function sumsOf(tallies: readonly Tally[], group: Group): Sums {
  const sums = { count: 0, inCents: 0, backCents: 0, toPayCents: 0 };
  for (const tally of tallies) {
    if (!tally.groups.includes(group)) continue;
    sums.count += tally.count;
    for (const column of SUMS) sums[column] += tally[column];
  }
  return sums;
}

/** The columns that are shown as they are; to read others would take the spreadsheet over its budget (`office-csv`). */
const SHOWN = [
  ...(['registration', 'begunAt', 'paidAt', 'balancePaidAt', 'dueAt', 'cancelledAt'] as const),
  ...(['depositCents', 'cardCents', 'checkCents', 'waivedCents', 'toSendCents'] as const),
  ...SUMS,
] satisfies (keyof RegistrationIndexRow)[];
const HERS = ['firstName', 'lastName', 'namesBefore', 'email', 'phoneNumber'] as const;

export interface ListedRow
  extends Pick<RegistrationIndexRow, (typeof SHOWN)[number]>,
    Pick<RegistrationRow, (typeof HERS)[number]> {
  /** Undefined for one that this release does not know. */
  state: RegistrationState | undefined;
  groups: readonly Group[];
  /** What the office has to do, the most urgent first. */
  needs: readonly OfficeNeed[];
  /** What she answered; empty where that was not asked for. */
  answers: readonly Answer[];
}

/** The registrations in a query's group that match its search, in its order. */
export async function readListed(
  transaction: Transaction,
  query: ListQuery,
  failed: Failed,
  page?: { limit: number; offset: number },
): Promise<ListedRow[]> {
  const { edition, group, sort } = query;
  let found = matching(transaction, query)
    .select(['state', 'groups', 'needs', ...HERS])
    .select(SHOWN.map((column) => `registrationIndex.${column}` as const))
    .$if(edition.questions !== undefined, (asking) => asking.select('answers'))
    .where((eb) => {
      const isIn = eb('groups', 'like', `% ${group} %`);
      return OF_FAILED.includes(group) ? eb.or([isIn, isAmong(failed)(eb)]) : isIn;
    });
  if (sort === 'name') found = found.orderBy('registrations.sortName');
  found = found.orderBy('registrationIndex.begunAt', 'desc').orderBy('registrationIndex.registration');
  if (page) found = found.limit(page.limit).offset(page.offset);
  const rows = await found.execute();
  return rows.map(({ answers = '', ...row }) => ({
    ...row,
    state: registrationStates.find((one) => one === row.state),
    groups: knownIn(row.groups, groupNames),
    needs: [
      ...knownIn(row.needs, officeNeeds),
      ...new Array<OfficeNeed>(failed.get(row.registration) ?? 0).fill('letter-failed'),
    ],
    answers: parseAnswers(answers) ?? [],
  }));
}

function knownIn<Word extends string>(words: string, names: readonly Word[]): Word[] {
  return words.split(' ').flatMap((word) => names.find((name) => name === word) ?? []);
}

type Both = ExpressionBuilder<Tables, 'registrations' | 'registrationIndex'>;

/** Without those that cannot be read. */
function matching(transaction: Transaction, { edition, search }: Pick<ListQuery, 'edition' | 'search'>) {
  return transaction
    .selectFrom('registrationIndex')
    .innerJoin('registrations', 'registrations.id', 'registrationIndex.registration')
    .where('groups', '!=', '')
    .where('registrationIndex.edition', '=', edition.facts.id)
    .where((eb) =>
      eb.and(searchWords(search).map((forms) => eb.or(forms.map((form) => contains(eb, form))))),
    );
}

/**
 * An id or a part of one has letters and digits. To look among ids for all that is typed would take a search over its budget
 * (`office-search`).
 */
const ID_PART = /^(?:(?=\w*[a-z_])(?=\w*\d)\w{4,}|(?:reg|pi)_\w*)$/;

/** In her name, address or phone number, or in the id of her registration or of a payment at Stripe. */
function contains(eb: Both, form: string): Expression<SqlBool> {
  const isLike = (column: Expression<string>) =>
    sql<SqlBool>`${column} like ${`%${form.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
  const inText = isLike(eb.ref('searchText'));
  if (!ID_PART.test(form)) return inText;
  const payments = eb
    .selectFrom('payments')
    .select('payments.id')
    .whereRef('payments.registration', '=', 'registrations.id')
    .where(({ fn }) => isLike(fn('lower', ['payments.id'])));
  return eb.or([inText, isLike(eb.fn('lower', ['registrationIndex.registration'])), eb.exists(payments)]);
}

function isAmong(failed: Failed): (eb: Both) => Expression<SqlBool> {
  return (eb) =>
    failed.size === 0 ? eb.lit(false) : eb('registrationIndex.registration', 'in', [...failed.keys()]);
}
