import { linksEndAt } from '#server/links/own-page-links.ts';
import type { Announcements } from '#server/payments/announcements.ts';
import type { Announced } from '#server/payments/find-all-due.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { Logger } from '#server/service/logger.ts';
import { editions } from '#shared/content/compiled/editions.ts';

/**
 * What the office has announced about each edition whose registrants still have a page: one read each. If a
 * read fails, everything else that is due is done, and the letters about announcements wait for the next walk
 * through all registrations.
 */
export async function readAnnounced(
  register: Pick<Payments, 'readAnnouncements'>,
  now: Date,
  logger: Logger,
): Promise<Announced> {
  const announced = new Map<string, Announcements>();
  for (const edition of editions.filter(({ facts }) => now < linksEndAt(facts))) {
    const { id } = edition.facts;
    try {
      announced.set(id, await register.readAnnouncements(edition));
    } catch (error) {
      logger.error({ err: error, edition: id }, 'What the office has announced to all could not be read');
    }
  }
  return announced;
}
