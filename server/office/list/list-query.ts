import * as v from 'valibot';
import { officePaths } from '#server/office/paths.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type Group, groupNames, type Row } from './row.ts';
import { searchFor } from './search.ts';

/** The query of the list's URL. */
export interface ListQuery {
  edition: Edition;
  /** As it was typed. */
  search: string;
  group: Group;
  /** Starts at 1. */
  page: number;
}

const MOST_TYPED = 200;

/** A URL with invalid values shows the list nevertheless. */
const querySchema = v.object({
  edition: v.fallback(v.string(), ''),
  search: v.fallback(v.pipe(v.string(), v.trim(), v.maxLength(MOST_TYPED)), ''),
  show: v.fallback(v.picklist(groupNames), 'all'),
  page: v.fallback(v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number), v.minValue(1)), 1),
});

/** @param editions the first is shown if the query names none */
export function readListQuery(query: unknown, editions: readonly [Edition, ...Edition[]]): ListQuery {
  const { edition, search, show, page } = v.parse(querySchema, query);
  const asked = editions.find(({ facts }) => facts.id === edition);
  return { edition: asked ?? editions[0], search, group: show, page };
}

/** The URL of a query; default values are left out. */
export function addressOf(
  { edition, search, group, page }: ListQuery,
  path: string = officePaths.list,
): string {
  const asked = new URLSearchParams({ edition: edition.facts.id });
  if (search !== '') asked.set('search', search);
  if (group !== 'all') asked.set('show', group);
  if (page > 1) asked.set('page', String(page));
  return `${path}?${asked}`;
}

/**
 * The registrations that match a query, and how many registrations that match its search are in each group.
 */
export interface Found {
  counts: ReadonlyMap<Group, number>;
  /** The registrations in the requested group. */
  rows: readonly Row[];
}

export function findRows(rows: readonly Row[], { search, group }: ListQuery): Found {
  const matches = searchFor(search);
  const found = search === '' ? rows : rows.filter(({ searchable }) => matches(searchable));
  const counts = new Map(groupNames.map((one) => [one, 0]));
  for (const { groups } of found) for (const one of groups) counts.set(one, (counts.get(one) ?? 0) + 1);
  return { counts, rows: found.filter(({ groups }) => groups.includes(group)) };
}
