import * as v from 'valibot';
import { resourceMissing } from './answer.ts';
import { integer, text } from './parameters.ts';

const DEFAULT_LIMIT = 10;

/** The parameters of every list endpoint. https://docs.stripe.com/api/pagination */
export const pageParameters = {
  limit: v.exactOptional(
    v.pipe(
      integer,
      v.minValue(1, 'Invalid limit: at least 1'),
      v.maxValue(100, 'Invalid limit: at most 100'),
    ),
  ),
  starting_after: v.exactOptional(text(255)),
  ending_before: v.exactOptional(text(255)),
};

type Page = { limit?: number; starting_after?: string; ending_before?: string };

/** One page of objects, newest first. `objects` are in the order of their creation. */
export function listPage<Listed extends { id: string }>(
  path: string,
  kind: string,
  objects: readonly Listed[],
  page: Page,
): { object: 'list'; url: string; has_more: boolean; data: Listed[] } {
  const newestFirst = objects.toReversed();
  const limit = page.limit ?? DEFAULT_LIMIT;
  const indexOf = (id: string, param: string) => {
    const index = newestFirst.findIndex((object) => object.id === id);
    if (index === -1) throw resourceMissing(kind, id, param);
    return index;
  };
  let start = 0;
  let end = newestFirst.length;
  if (page.starting_after !== undefined) start = indexOf(page.starting_after, 'starting_after') + 1;
  if (page.ending_before !== undefined) end = indexOf(page.ending_before, 'ending_before');
  const backwards = page.ending_before !== undefined;
  const data = backwards
    ? newestFirst.slice(Math.max(start, end - limit), end)
    : newestFirst.slice(start, start + limit);
  const has_more = backwards ? end - limit > start : start + limit < end;
  return { object: 'list', url: path, has_more, data };
}

/** A point in time or a range of it, in seconds since the epoch. */
export const createdFilter = v.union(
  [
    integer,
    v.strictObject({
      gt: v.exactOptional(integer),
      gte: v.exactOptional(integer),
      lt: v.exactOptional(integer),
      lte: v.exactOptional(integer),
    }),
  ],
  'Invalid date filter',
);

/** Whether a time passes such a filter. */
export function matchesCreated(
  created: number,
  filter: v.InferOutput<typeof createdFilter> | undefined,
): boolean {
  if (filter === undefined) return true;
  if (typeof filter === 'number') return created === filter;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = filter;
  return created > gt && created >= gte && created < lt && created <= lte;
}
