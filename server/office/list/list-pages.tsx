import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response, Router } from 'express';
import type { ReactNode } from 'react';
import { renderOfficeDocument } from '#server/office/office-document.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { Assets } from '#server/page/assets.ts';
import type { PlaceCounts, Places } from '#server/register/places.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Audit } from '#server/users/audit.ts';
import { signedInOf } from '#server/users/user.ts';
import { editions as allEditions } from '#shared/content/compiled/editions.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { daysOf, totalsOf } from './figures.ts';
import { findRows, type ListQuery, readListQuery } from './list-query.ts';
import type { Listing, RegistrationIndex } from './registration-index.ts';

export interface ListDependencies {
  assets: Pick<Assets, 'officeStyle'>;
  index: RegistrationIndex;
  places: Pick<Places, 'count'>;
  logger: Logger;
  audit: Audit;
  /** By default all editions, the one on sale first. */
  editions?: readonly [Edition, ...Edition[]];
}

/**
 * The office's list of registrations, and the same as a spreadsheet. The modules that render them are loaded
 * with the first request.
 */
export function addListPages(router: Router, dependencies: ListDependencies): void {
  const {
    index,
    places: counted,
    logger,
    editions = [onSale, ...allEditions.filter(({ facts }) => facts.id !== onSale.facts.id)],
  } = dependencies;
  const answer = (res: Response, title: string, children: ReactNode): void => {
    const signedIn = signedInOf(res);
    const html = renderOfficeDocument({ title, style: dependencies.assets.officeStyle, signedIn, children });
    res.set('Cache-Control', 'no-store').type('html').send(html);
  };
  /** The list. If it cannot be read, sends an answer that says so, and returns undefined. */
  const listFor = async ({ edition }: ListQuery, res: Response): Promise<Listing | undefined> => {
    try {
      return await index.list(edition);
    } catch (error) {
      logger.warn({ err: error }, 'The list of registrations cannot be read');
      answer(res.status(503), 'Registrations', <NotThere />);
      return undefined;
    }
  };

  /**
   * The counts of places; undefined if the edition has no number of places, and while they cannot be read.
   */
  const placesOf = async ({ facts }: Edition): Promise<PlaceCounts | undefined> => {
    if (facts.places === undefined) return undefined;
    return counted.count(facts).catch((error: unknown) => {
      logger.warn({ err: error }, 'The places of a retreat cannot be read');
      return undefined;
    });
  };

  router.get(officePaths.list, async (req: Request, res: Response) => {
    const query = readListQuery(req.query, editions);
    const listing = await listFor(query, res);
    if (!listing) return;
    const { clock } = listing;
    const found = findRows(listing.rows, query);
    const isOverview = query.search === '' && query.group === 'all' && query.page === 1;
    // Between the parts of the work, other requests are answered.
    await nextTurn();
    const totals = isOverview && totalsOf(listing.rows);
    await nextTurn();
    const places = totals && (await placesOf(query.edition));
    const days = totals && daysOf(listing.rows, listing.at, clock);
    const overview = totals && days && { totals, days, ...(places && { places }) };
    await nextTurn();
    const view = { query, editions, found, clock, ...(overview && { overview }) };
    const { ListPage } = await import('./list-page.tsx');
    answer(res, 'Registrations', <ListPage {...view} />);
  });

  router.get(officePaths.csv, async (req: Request, res: Response) => {
    const query = readListQuery(req.query, editions);
    const listing = await listFor(query, res);
    if (!listing) return;
    const { rows } = findRows(listing.rows, query);
    const day = listing.clock.dateOf(listing.at);
    const name = `registrations-${query.edition.facts.id}-${day}.csv`;
    dependencies.audit(signedInOf(res).user, 'csv', { registrations: rows.length });
    const { csvOf } = await import('./list-csv.ts');
    res.set('Cache-Control', 'no-store').attachment(name).type('text/csv; charset=utf-8');
    // A browser that disconnects in the middle is not a failure of the site.
    await pipeline(Readable.from(csvOf(rows, listing)), res).catch(() => {});
  });
}

/** Why there is no list, and what works without it. */
function NotThere() {
  return (
    <>
      <p role="alert">
        The list cannot be read at the moment, because the site’s memory (Redis) does not answer. It is
        rebuilt automatically once that is back: please load this page again in a few minutes.
      </p>
      <p>
        Nothing is lost. The site goes on taking registrations and payments, Stripe has all of them on record,
        and the letters that are due meanwhile are sent afterwards. In Stripe’s dashboard you can find
        everybody by name or e-mail address. If this lasts for more than half an hour, please tell the person
        who looks after the site.
      </p>
    </>
  );
}
