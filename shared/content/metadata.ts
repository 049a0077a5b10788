import { edition, formatDateRange } from './edition.ts';

/** What search engines and link previews show of the page. */
export const metadata = {
  title: `${edition.title}: make peace with food, live online, ${formatDateRange(edition.startDate, edition.endDate)}`,
  description:
    'Four live days with a bestselling author and a circle of women, for everyone who is tired of fighting food. Eating meditations, small groups, gentle movement, and support that goes on afterwards.',
} as const;
