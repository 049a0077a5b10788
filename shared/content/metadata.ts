import { author } from './author.ts';
import { edition, formatDateRange } from './edition.ts';

/** What search engines and link previews show of the page. */
export const metadata = {
  title: `${edition.title}: make peace with food, live online, ${formatDateRange(edition.startDate, edition.endDate)}`,
  description:
    'Four live days with a bestselling author and a circle of women, for everyone who is tired of fighting food: eating meditations, small groups, gentle movement.',
  locale: 'en_US',
  language: 'en',
  /** The picture of link previews, in `client/public`. */
  card: {
    path: '/social-card.png',
    width: 1200,
    height: 630,
    alt: `${edition.title}: an open door, a path over the hills, and the words “${edition.subtitle}, ${formatDateRange(edition.startDate, edition.endDate)}”`,
  },
  organizer: edition.siteName,
  performer: author.name,
} as const;
