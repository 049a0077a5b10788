import * as v from 'valibot';
import { officePaths } from '#server/office/paths.ts';
import type { Edition } from '#shared/content/edition.ts';
import { hasPlace } from './moves-of-money.ts';
import { type Group, groupNames, type Row } from './row.ts';
import { searchFor } from './search.ts';

/** The orders of the list. */
const sorts = ['newest', 'name'] as const;
export type Sort = (typeof sorts)[number];

/** The query of the list's URL. */
export interface ListQuery {
  edition: Edition;
  /** As it was typed. */
  search: string;
  group: Group;
  sort: Sort;
  /** Starts at 1. */
  page: number;
}

const MOST_TYPED = 200;

/** A URL with invalid values shows the list nevertheless. */
const querySchema = v.object({
  edition: v.fallback(v.string(), ''),
  search: v.fallback(v.pipe(v.string(), v.trim(), v.maxLength(MOST_TYPED)), ''),
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

/**
 * The registrations that match a query, and how many registrations that match its search are in each group.
 */
export interface Found {
  counts: ReadonlyMap<Group, number>;
  /** The registrations in the requested group, in the requested order. */
  rows: readonly Row[];
  /** Those who have a place, see `personOf`. */
  registered: ReadonlySet<string>;
}

/** @param rows the newest first */
export function findRows(rows: readonly Row[], { search, group, sort }: ListQuery): Found {
  const matches = searchFor(search);
  const found = search === '' ? rows : rows.filter(({ searchable }) => matches(searchable));
  const counts = new Map(groupNames.map((one) => [one, 0]));
  for (const { groups } of found) for (const one of groups) counts.set(one, (counts.get(one) ?? 0) + 1);
  const inGroup = found.filter(({ groups }) => groups.includes(group));
  const registered = new Set(rows.filter(({ state }) => hasPlace(state)).map(personOf));
  return { counts, rows: sort === 'name' ? inGroup.toSorted(byName) : inGroup, registered };
}

/** Whether somebody began it, did not pay, and has a place by another registration: it is no second person. */
export function isAbandoned(row: Row, { registered }: Found): boolean {
  const { deposit, forgottenAt } = row.record;
  return deposit !== 'paid' && !forgottenAt && registered.has(personOf(row));
}

/** Her name and address: several people may share an address. */
function personOf({ record, searchable }: Row): string {
  return `${searchable.byName}\n${record.registrant.email.toLowerCase()}`;
}

/** Compares code units: a collator takes ten times as long, in which no other request is answered. */
function byName({ searchable: { byName: one } }: Row, { searchable: { byName: other } }: Row): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
