import { editions } from './compiled/editions.ts';
import type { Edition } from './edition.ts';

const byId = new Map(editions.map((edition) => [edition.facts.id, edition]));

/** The edition with that id, on sale or past; undefined if this release does not have it. */
export function findEdition(id: string): Edition | undefined {
  return byId.get(id);
}
