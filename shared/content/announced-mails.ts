import { formatDate, formatDateRange } from '#shared/dates.ts';
import type { Edition } from './edition.ts';

/** To every registrant with a place, once the office announces a changed schedule. */
export const scheduleChangedMail = ({ facts }: Pick<Edition, 'facts'>) =>
  ({
    subject: `The schedule of ${facts.title} has changed`,
    preheader: 'Here is all of it, as it is now. The new calendar file is attached.',
    title: 'The schedule has changed',
    /** Also true for a registrant who registered when the page already showed the new schedule. */
    intro: `The schedule of our days together, ${formatDateRange(facts.startDate, facts.endDate)}, has changed. Below is all of it as it is now. It replaces every earlier one, whether you have it in a letter, in your calendar or on paper.`,
    recent:
      'If you registered only recently, you may have it just like this already. Then nothing changes for you.',
    calendar: (fileName: string) =>
      `To bring your calendar up to date, open the attached file, ${fileName}. Most calendars then replace the sessions that they took from an earlier file; please make sure that none of them is there twice.`,
    ownPage: 'Your own page shows the same schedule.',
  }) as const;

/** To every registrant who has paid in full, once the office announces where the recordings are. */
export const recordingsMail = ({ facts }: Pick<Edition, 'facts'>) =>
  ({
    subject: `The recordings of ${facts.title} are ready`,
    preheader: 'Your own page leads to them.',
    title: 'The recordings are ready',
    intro: `The days of ${facts.title} are over, and what we recorded of them is ready for you: to come back to at your own pace, or to catch up on what you missed.`,
    /** @param lastDay an ISO date */
    where: (lastDay: string) => `Your own page leads to the recordings, until ${formatDate(lastDay)}.`,
    list: 'What was recorded',
    only: 'Only these sessions were recorded. What is said in the small groups never is.',
    discretion:
      'Others who came may be seen and heard in them. So please watch them by yourself, and pass neither them nor your link on.',
  }) as const;
