import { editions } from './compiled/editions.ts';
import type { Edition } from './edition.ts';

const byId = new Map(editions.map((edition) => [edition.facts.id, edition]));
const byPackage = new Map(editions.map((edition) => [edition.facts.retreatPackage.id, edition]));

/** The edition with that id, on sale or past; undefined if this release does not have it. */
export function findEdition(id: string): Edition | undefined {
  return byId.get(id);
}

/** The edition whose package has that id. */
export function findEditionOfPackage(packageId: string): Edition | undefined {
  return byPackage.get(packageId);
}
