import * as v from 'valibot';
import { officePaths } from '#server/office/paths.ts';
import { type Group, groupNames } from '#server/register/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';

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

/** Without control characters, which PostgreSQL refuses in part and no name has. */
const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();

/** A URL with invalid values shows the list nevertheless. */
const querySchema = v.object({
  edition: v.fallback(v.string(), ''),
  search: v.fallback(v.pipe(v.string(), v.transform(printable), v.maxLength(MOST_TYPED)), ''),
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
