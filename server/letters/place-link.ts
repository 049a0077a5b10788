import type { MailOf } from '#server/mail/job.ts';
import { isUnreachable } from '#server/record/bounce-mark.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import type { SomeLetters } from './letter-kind.ts';
import { factsOf } from './record-facts.ts';
import { paragraph } from './render/letter.ts';
import { lastDayOfLinks, ownPageButton } from './render/parts.ts';
import { sampleFacts } from './samples.ts';

/** How long after a user of the office took a link she may still be told. */
const TELL_SEEN_MS = 30 * 24 * 60 * 60 * 1000;

/** The letters about the links to her page: with the one that she asked for, and about those of the office. */
export const placeLink = {
  'place-link': {
    name: 'The link to your page',
    subject: ({ facts }) => `The link to your own page: ${facts.title}`,
    says: (letter, edition, context) => ({
      preheader: 'It opens your place, your payments and the schedule.',
      title: 'Your own page',
      blocks: [
        paragraph(
          `Here is the link to your own page for ${edition.facts.title}. It shows your place, the schedule, what is paid and what is left, and your letters.`,
        ),
        ownPageButton(letter, edition, context),
        paragraph(
          `It opens without a password until ${lastDayOfLinks(edition)}, so please keep it to yourself. Opening it changes nothing.`,
        ),
        paragraph(
          'Somebody asked for it with your e-mail address, or the retreat office sends it to you. If you did not ask for it, there is nothing to do: the link went to nobody else.',
        ),
      ],
    }),
    samples: () => ({ usual: { request: '2025-12-22-1' } }),
  },

  /** At most once a day, however many links were taken. */
  'page-seen': {
    name: 'The office has opened your page',
    subject: ({ facts }) => `The retreat office has opened your page: ${facts.title}`,
    now({ deposit, officeLinks, edition }, now) {
      const { at } = officeLinks.at(-1) ?? {};
      if (deposit !== 'paid' || !at || now.getTime() >= at.getTime() + TELL_SEEN_MS) return undefined;
      return { day: dateAt(at, edition.timetable.timeZone.id) };
    },
    says: (letter, edition, context) => ({
      preheader: 'It could only read.',
      title: 'The office has opened your page',
      blocks: [
        paragraph(
          `The retreat office opened your page on ${formatDate(letter.day)}, to see what you see there. It could only read: nobody but you can act on your page.`,
        ),
        ownPageButton(letter, edition, context),
        paragraph(
          'If you have not asked the office for anything, and wonder why, please ask: it is on record who opened it.',
        ),
      ],
    }),
    samples: (edition) => ({
      usual: { day: dateAt(new Date(sampleFacts(edition).earlier), edition.timetable.timeZone.id) },
    }),
  },
} satisfies SomeLetters;

/** Names a request for the link, so that there is one letter in a minute: the day, and the minute of the day. */
export function requestAt(at: Date): string {
  const day = at.toISOString().slice(0, 'yyyy-mm-dd'.length);
  return `${day}-${at.getUTCHours() * 60 + at.getUTCMinutes()}`;
}

/** The letter with the link to her page; undefined where she has no page, or no letter reaches her. */
export function placeLinkLetter(
  record: RegistrationRecord,
  request: string,
): MailOf<'place-link'> | undefined {
  const { deposit, forgottenAt } = record;
  return deposit === 'paid' && !forgottenAt && !isUnreachable(record)
    ? { kind: 'place-link', ...factsOf(record), request }
    : undefined;
}
