import { retreatPackage } from '#shared/retreat-package.ts';
import { edition } from './edition.ts';
import { metadata } from './metadata.ts';
import { scheduledSessions, withUtcOffset } from './schedule.ts';

export interface StructuredDataOptions {
  /** The page's own address. */
  pageUrl: string;
  registrationOpen: boolean;
}

/**
 * The retreat as search engines read it, in JSON-LD.
 * @see https://schema.org/Event
 */
export function describeRetreat({ pageUrl, registrationOpen }: StructuredDataOptions) {
  const { startDate, endDate } = eventDates();
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: edition.title,
    description: metadata.description,
    url: pageUrl,
    image: [new URL(metadata.card.path, pageUrl).href],
    inLanguage: metadata.language,
    startDate,
    endDate,
    eventStatus: 'https://schema.org/EventScheduled',
    eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
    location: { '@type': 'VirtualLocation', url: pageUrl },
    organizer: { '@type': 'Organization', name: metadata.organizer, url: pageUrl },
    performer: { '@type': 'Person', name: metadata.performer },
    offers: {
      '@type': 'Offer',
      name: retreatPackage.title,
      url: new URL('#register-stepper', pageUrl).href,
      price: retreatPackage.total.toFixed(2),
      priceCurrency: 'USD',
      availability: `https://schema.org/${registrationOpen ? 'InStock' : 'SoldOut'}`,
      validThrough: startDate,
    },
  };
}

/** From the start of the first session to the assumed end of the last. */
function eventDates() {
  const first = scheduledSessions.at(0);
  const last = scheduledSessions.at(-1);
  if (!first || !last) throw new Error('The schedule has no sessions');
  return { startDate: withUtcOffset(first.start), endDate: withUtcOffset(last.end) };
}
