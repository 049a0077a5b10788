import { editions } from './compiled/editions.ts';
import type { Edition } from './edition.ts';

const byId = new Map(editions.map((edition) => [edition.facts.id, edition]));

export function findEdition(id: string): Edition | undefined {
  return byId.get(id);
}
