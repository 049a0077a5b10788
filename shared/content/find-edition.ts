import { editions } from './compiled/editions.ts';
import type { Edition } from './edition.ts';

const byId = new Map(editions.map((edition) => [edition.facts.id, edition]));
const byPackage = new Map(editions.map((edition) => [edition.facts.retreatPackage.id, edition]));

/** The edition of that name, on sale or over; undefined where this release does not know it. */
export function findEdition(id: string): Edition | undefined {
  return byId.get(id);
}

/** The edition that sells, or sold, the package of that id. */
export function findEditionOfPackage(packageId: string): Edition | undefined {
  return byPackage.get(packageId);
}
