import * as v from 'valibot';
import { officePaths } from '#server/office/paths.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type Group, groupNames, type Row } from './row.ts';
import { searchFor } from './search.ts';

/** What the address of the list asks for. */
export interface ListQuery {
  edition: Edition;
  /** As it was typed. */
  search: string;
  group: Group;
  /** The first is 1. */
  page: number;
}

const MOST_TYPED = 200;

/** An address that somebody has changed shows the list nevertheless. */
const querySchema = v.object({
  edition: v.fallback(v.string(), ''),
  search: v.fallback(v.pipe(v.string(), v.trim(), v.maxLength(MOST_TYPED)), ''),
  show: v.fallback(v.picklist(groupNames), 'all'),
  page: v.fallback(v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number), v.minValue(1)), 1),
});

/** @param editions the first is shown where none is asked for */
export function readListQuery(query: unknown, editions: readonly [Edition, ...Edition[]]): ListQuery {
  const { edition, search, show, page } = v.parse(querySchema, query);
  const asked = editions.find(({ facts }) => facts.id === edition);
  return { edition: asked ?? editions[0], search, group: show, page };
}

/** The address that asks for something; what is as usual is left out. */
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

/** The registrations that are found by the search, and how many of them are in each group. */
export interface Found {
  counts: ReadonlyMap<Group, number>;
  /** Those of the group that is asked for. */
  rows: readonly Row[];
}

export function findRows(rows: readonly Row[], { search, group }: ListQuery): Found {
  const matches = searchFor(search);
  const found = search === '' ? rows : rows.filter(({ searchable }) => matches(searchable));
  const counts = new Map(groupNames.map((one) => [one, 0]));
  for (const { groups } of found) for (const one of groups) counts.set(one, (counts.get(one) ?? 0) + 1);
  return { counts, rows: found.filter(({ groups }) => groups.includes(group)) };
}
