import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import * as v from 'valibot';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationIndexRow, RegistrationRow, Tables } from '#server/database/schema.ts';
import { officePaths } from '#server/office/paths.ts';
import { type Answer, parseAnswers } from '#server/registration/answers.ts';
import { type RegistrationState, registrationStates } from '#server/registration/registration-state.ts';
import { searchWords } from '#server/service/search-text.ts';
import { type Group, groupNames } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type OfficeNeed, officeNeeds } from '#shared/content/office-digest-words.ts';
import { typedText } from '#shared/typed-text.ts';

/** The orders of the list. */
const sorts = ['newest', 'name'] as const;
export type Sort = (typeof sorts)[number];

export const ROWS_A_PAGE = 50;

export interface ListQuery {
  edition: Edition;
  /** As it was typed. */
  search: string;
  group: Group;
  sort: Sort;
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

/** The URL of a page about an edition, however its list is filtered. */
export function addressAbout({ facts }: Edition, path: string): string {
  return `${path}?${new URLSearchParams({ edition: facts.id })}`;
}

/** To how many letters of each registration a failure belongs. */
export type Failed = ReadonlyMap<string, number>;

const SUMS = ['inCents', 'checkCents', 'backCents', 'toPayCents', 'toSendCents', 'waivedCents'] as const;
export type Sum = (typeof SUMS)[number];

/** Of how many registrations the same is true. The sums are US cents of each of them. */
export interface Tally extends Pick<RegistrationIndexRow, Sum> {
  count: number;
  groups: readonly Group[];
}

/** The columns that are shown as they are; to read others would take the spreadsheet over its budget (`office-csv`). */
const SHOWN = [
  ...(['begunAt', 'paidAt', 'balancePaidAt', 'dueAt', 'cancelledAt', 'depositCents', 'cardCents'] as const),
  ...SUMS,
] satisfies (keyof RegistrationIndexRow)[];

export interface ListedRow
  extends Pick<RegistrationIndexRow, 'registration' | (typeof SHOWN)[number]>,
    Pick<RegistrationRow, 'firstName' | 'lastName' | 'namesBefore' | 'email' | 'phoneNumber'> {
  /** Undefined for one that this release does not know. */
  state: RegistrationState | undefined;
  groups: readonly Group[];
  /** What the office has to do, the most urgent first. */
  needs: readonly OfficeNeed[];
  /** Whether she began it, did not pay, and has a place by another registration: it is no second person. */
  isAbandoned: boolean;
  /** What she answered; empty where that was not asked for. */
  answers: readonly Answer[];
}

/** The registrations that match a query's search, counted by what the groups and the totals depend on. */
export async function readTallies(
  transaction: Transaction,
  query: Pick<ListQuery, 'edition' | 'search'>,
): Promise<Tally[]> {
  const rows = await matching(transaction, query)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .select(['groups', ...SUMS])
    .groupBy(['groups', ...SUMS])
    .execute();
  return rows.map(({ groups, ...row }) => ({ ...row, groups: groupsIn(groups) }));
}

export function sumsOf(tallies: readonly Tally[], group: Group) {
  const total = { count: 0, inCents: 0, backCents: 0, toPayCents: 0 };
  for (const tally of tallies.filter(({ groups }) => groups.includes(group))) {
    total.count += tally.count;
    for (const sum of ['inCents', 'backCents', 'toPayCents'] as const) total[sum] += tally.count * tally[sum];
  }
  return total;
}

/** How many registrations that match a query's search are in each group. */
export async function countGroups(
  transaction: Transaction,
  query: ListQuery,
  tallies: readonly Tally[],
  failed: Failed,
): Promise<ReadonlyMap<Group, number>> {
  const counts = new Map<Group, number>(groupNames.map((group) => [group, 0]));
  const add = (group: Group, count: number) => counts.set(group, (counts.get(group) ?? 0) + count);
  for (const { groups, count } of tallies) for (const group of groups) add(group, count);
  const more = await matching(transaction, query).select('groups').where(isAmong(failed)).execute();
  for (const { groups } of more) {
    add('letter-failed', 1);
    if (!groupsIn(groups).includes('needs-you')) add('needs-you', 1);
  }
  return counts;
}

/** The registrations in a query's group that match its search, in its order. */
export async function findListed(
  transaction: Transaction,
  query: ListQuery,
  failed: Failed,
  page?: { limit: number; offset: number },
): Promise<string[]> {
  const { group, sort } = query;
  let found = matching(transaction, query)
    .select('registrationIndex.registration')
    .where((eb) => {
      const isIn = eb('groups', 'like', `% ${group} %`);
      return group === 'needs-you' || group === 'letter-failed' ? eb.or([isIn, isAmong(failed)(eb)]) : isIn;
    });
  if (sort === 'name') found = found.orderBy('registrations.sortName');
  found = found.orderBy('registrationIndex.begunAt', 'desc').orderBy('registrationIndex.registration');
  if (page) found = found.limit(page.limit).offset(page.offset);
  return (await found.execute()).map(({ registration }) => registration);
}

/** Registrations by their ids, in their order. */
export async function readRows(
  transaction: Transaction,
  ids: readonly string[],
  failed: Failed,
  { withAnswers = false } = {},
): Promise<ListedRow[]> {
  if (ids.length === 0) return [];
  const rows = await listed(transaction)
    .select(['registrationIndex.registration', 'state', 'groups', 'needs'])
    .select(SHOWN.map((column) => `registrationIndex.${column}` as const))
    .select(['firstName', 'lastName', 'namesBefore', 'email', 'phoneNumber'])
    .$if(withAnswers, (query) => query.select('answers'))
    .select((eb) => eb.case().when(isAbandoned(eb)).then(1).else(0).end().as('isAbandoned'))
    .where('registrationIndex.registration', 'in', ids)
    .where('groups', '!=', '')
    .execute();
  const found = new Map(rows.map((row) => [row.registration, listedRow(row, failed.get(row.registration))]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

type Read = Omit<ListedRow, 'state' | 'groups' | 'needs' | 'isAbandoned' | 'answers'> &
  Pick<RegistrationIndexRow, 'state' | 'groups' | 'needs'> & {
    isAbandoned: number;
    answers?: string;
  };

/** @param letters how many letters to her failed */
export function listedRow(row: Read, letters = 0): ListedRow {
  return {
    ...row,
    state: registrationStates.find((one) => one === row.state),
    groups: groupsIn(row.groups),
    needs: [...knownIn(row.needs, officeNeeds), ...Array.from({ length: letters }, () => FAILED)],
    isAbandoned: row.isAbandoned === 1,
    answers: parseAnswers(row.answers ?? '') ?? [],
  };
}

const FAILED: OfficeNeed = 'letter-failed';

/** The words that this release knows. */
function knownIn<Word extends string>(words: string, names: readonly Word[]): Word[] {
  return words.split(' ').flatMap((word) => names.find((name) => name === word) ?? []);
}

const groupsIn = (words: string): Group[] => knownIn(words, groupNames);

type Both = ExpressionBuilder<Tables, 'registrations' | 'registrationIndex'>;

function listed(transaction: Transaction) {
  return transaction
    .selectFrom('registrationIndex')
    .innerJoin('registrations', 'registrations.id', 'registrationIndex.registration');
}

/** Those of an edition that match a search; without those that cannot be read. */
function matching(transaction: Transaction, { edition, search }: Pick<ListQuery, 'edition' | 'search'>) {
  return listed(transaction)
    .where('registrationIndex.edition', '=', edition.facts.id)
    .where('groups', '!=', '')
    .where((eb) =>
      eb.and(searchWords(search).map((forms) => eb.or(forms.map((form) => contains(eb, form))))),
    );
}

/** In her name, address or phone number, or in the id of her registration or of a payment at Stripe. */
function contains(eb: Both, form: string): Expression<SqlBool> {
  const pattern = `%${form.replace(/[\\%_]/g, '\\$&')}%`;
  const places: Expression<SqlBool>[] = [
    sql<SqlBool>`${eb.ref('searchText')} like ${pattern} escape '\\'`,
    sql<SqlBool>`lower(${eb.ref('registrationIndex.registration')}) like ${pattern} escape '\\'`,
  ];
  if (form.startsWith('pi_')) {
    const payments = eb
      .selectFrom('payments')
      .select('payments.id')
      .whereRef('payments.registration', '=', 'registrations.id')
      .where(({ ref }) => sql<SqlBool>`lower(${ref('payments.id')}) like ${pattern} escape '\\'`);
    places.push(eb.exists(payments));
  }
  return eb.or(places);
}

function isAmong(failed: Failed): (eb: Both) => Expression<SqlBool> {
  return (eb) =>
    failed.size === 0 ? eb.lit(false) : eb('registrationIndex.registration', 'in', [...failed.keys()]);
}

function isAbandoned(eb: Both): Expression<SqlBool> {
  const another = eb
    .selectFrom('registrations as other')
    .innerJoin('registrationIndex as theirs', 'theirs.registration', 'other.id')
    .select('other.id')
    .whereRef('other.address', '=', 'registrations.address')
    .whereRef('other.person', '=', 'registrations.person')
    .whereRef('other.edition', '=', 'registrations.edition')
    .where('theirs.groups', 'like', '% registered %');
  const isUnpaid = eb('registrationIndex.groups', 'like', '% unpaid %');
  return eb.and([isUnpaid, eb('registrations.address', '!=', ''), eb.exists(another)]);
}
