import type { MailOf } from '#server/mail/job.ts';
import { isUnreachable } from '#server/record/bounces.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { hasOwnPage } from '#server/record/registration-state.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { dateAt, formatDate } from '#shared/dates.ts';
import { type SomeLetters, sampleFacts } from './letter-kind.ts';
import { factsOf, isNews } from './record-facts.ts';
import { lastDayOfLinks, momentOf, ownPageButton } from './render/parts.ts';

/** The letters about who can open her page. */
export const placeLink = {
  /** One a day at most, since a wrong proof is recorded once a day. */
  'proof-failed': {
    name: 'Somebody else may be on your page',
    subject: ({ facts }) => `Was that you on your page? ${facts.title}`,
    now(record, now) {
      const { proofFailedAt: at } = record;
      if (!hasOwnPage(record) || !at || !isNews(at, 3, now)) return undefined;
      return { at: at.toISOString() };
    },
    says: (letter, edition, context) => ({
      preheader: 'If it was not, you can shut that person out.',
      title: 'Was that you?',
      blocks: [
        `On ${momentOf(letter.at, letter, edition)}, somebody tried to do something on your page for ${edition.facts.title} that only you may do, and the proof of identity was wrong. Nothing was done.`,
        'If that was you, simply try it again.',
        `If it was not you, somebody else has a link to your page, perhaps from a letter that was passed on. Then open your page, and press “${ownPageWords.close}” at its end. Then no earlier link and no browser opens it any more, and a new link comes to this address alone.`,
        ownPageButton(letter, edition, context),
      ],
      questions: `If you cannot open your page, call the office at ${context.office.phone}, or write to ${context.office.email}, and we will close it for you.`,
    }),
    samples: (edition) => ({ usual: { at: sampleFacts(edition).earlier } }),
  },

  /** For a registrant who asked for it by entering her e-mail address, or by closing her page everywhere. */
  'place-link': {
    name: 'The link to your page',
    subject: ({ facts }) => `The link to your own page: ${facts.title}`,
    says: (letter, edition, context) => ({
      preheader: 'It opens your place, your payments and the schedule.',
      title: 'Your own page',
      blocks: [
        `Here is the link to your own page for ${edition.facts.title}. It shows your place, the schedule, what is paid and what is left, and your letters.`,
        ownPageButton(letter, edition, context),
        `It opens without a password until ${lastDayOfLinks(edition)}, so please keep it to yourself. Opening it changes nothing.`,
        'You get this letter because somebody asked for it with your e-mail address or closed your page everywhere, or because the retreat office sent it. Links in earlier letters may no longer work. If you do not know why, there is nothing to do: this link went to nobody else.',
      ],
    }),
    samples: () => ({ usual: { request: '2025-12-22-1' } }),
  },

  /** At most once a day, however many links were taken. */
  'page-seen': {
    name: 'The office has asked to see your page',
    subject: ({ facts }) => `The retreat office has asked to see your page: ${facts.title}`,
    now(record, now) {
      const at = record.officeLinks.at(-1)?.at;
      if (!hasOwnPage(record) || !at || !isNews(at, 30, now)) return undefined;
      return { day: dateAt(at, record.edition.timetable.timeZone.id) };
    },
    says: (letter, edition, context) => ({
      preheader: 'It could only read it.',
      title: 'The office has asked to see your page',
      blocks: [
        `On ${formatDate(letter.day)} the retreat office took a link that shows your page, to see what you see there. It could only read it: nobody but you can act on your page.`,
        ownPageButton(letter, edition, context),
        'If you have not asked the office for anything, and wonder why, please ask: it is on record who took the link.',
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
  return hasOwnPage(record) && !isUnreachable(record)
    ? { kind: 'place-link', ...factsOf(record), request }
    : undefined;
}
