import { PAGE_LANGUAGE, type SiteState } from '#shared/page.ts';
import type { Edition } from './edition.ts';
import type { Page } from './entities.ts';

interface Options extends Pick<SiteState, 'registrationOpen' | 'registrationOpensOn' | 'isFull'> {
  pageUrl: string;
}

/**
 * The retreat as search engines read it, in JSON-LD.
 * @see https://schema.org/Event
 */
export function describeRetreat(
  { facts, timetable }: Edition,
  { search, author }: Page,
  { pageUrl, registrationOpen, registrationOpensOn, isFull }: Options,
) {
  const isInStock = registrationOpen && !isFull;
  const [first, last] = [timetable.sessions.at(0), timetable.sessions.at(-1)];
  if (!first || !last) throw new Error('The schedule has no sessions');
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: facts.title,
    description: search.description,
    url: pageUrl,
    image: [new URL(search.card.img.src, pageUrl).href],
    inLanguage: PAGE_LANGUAGE,
    startDate: first.startsAt,
    endDate: last.endsAt,
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
      validThrough: first.startsAt,
    },
  };
}
