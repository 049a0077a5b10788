import { PAGE_LANGUAGE } from '#shared/page.ts';
import type { Edition, Timetable } from './edition.ts';
import type { Page } from './entities.ts';

export interface StructuredDataOptions {
  /** The page's own address. */
  pageUrl: string;
  registrationOpen: boolean;
  /** Set until registration opens. */
  registrationOpensOn?: string;
  /** No place is left. */
  isFull?: true;
}

/**
 * The retreat as search engines read it, in JSON-LD.
 * @see https://schema.org/Event
 */
export function describeRetreat(
  { facts, timetable }: Edition,
  { search, author }: Page,
  { pageUrl, registrationOpen, registrationOpensOn, isFull }: StructuredDataOptions,
) {
  const isInStock = registrationOpen && !isFull;
  const { startDate, endDate } = eventDates(timetable);
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: facts.title,
    description: search.description,
    url: pageUrl,
    image: [new URL(search.card.src, pageUrl).href],
    inLanguage: PAGE_LANGUAGE,
    startDate,
    endDate,
    eventStatus: 'https://schema.org/EventScheduled',
    eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
    location: { '@type': 'VirtualLocation', url: pageUrl },
    organizer: { '@type': 'Organization', name: facts.siteName, url: pageUrl },
    ...(facts.places !== undefined && { maximumVirtualAttendeeCapacity: facts.places }),
    performer: { '@type': 'Person', name: author.name },
    offers: {
      '@type': 'Offer',
      name: facts.retreatPackage.title,
      url: new URL('#register-stepper', pageUrl).href,
      price: facts.retreatPackage.total.toFixed(2),
      priceCurrency: 'USD',
      availability: `https://schema.org/${isInStock ? 'InStock' : registrationOpensOn ? 'PreSale' : 'SoldOut'}`,
      validThrough: startDate,
    },
  };
}

/** From the start of the first session to the assumed end of the last. */
function eventDates({ sessions }: Timetable) {
  const first = sessions.at(0);
  const last = sessions.at(-1);
  if (!first || !last) throw new Error('The schedule has no sessions');
  return { startDate: first.startsAt, endDate: last.endsAt };
}
