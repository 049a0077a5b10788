import type { TestContext } from 'node:test';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

/** Gives the edition on sale a number of places for one test. */
export function limitPlaces(t: TestContext, places: number): void {
  const { places: before } = facts;
  facts.places = places;
  t.after(() => {
    if (before === undefined) delete facts.places;
    else facts.places = before;
  });
}
