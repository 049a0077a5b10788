import type { OrdinarySite } from './ordinary-site.ts';

/** An attack that is known to work on sites like this one. */
export interface KnownAttack {
  name: string;
  /**
   * Tries it, and tells in a few words what came of it.
   * @throws {Error} when it worked, or did not come to an end
   */
  run(site: OrdinarySite): Promise<string>;
}
