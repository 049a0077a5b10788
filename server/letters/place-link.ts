import type { MailOf } from '#server/mail/job.ts';
import { isUnreachable } from '#server/record/bounce-mark.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { SomeLetters } from './letter-kind.ts';
import { factsOf } from './record-facts.ts';
import { paragraph } from './render/letter.ts';
import { lastDayOfLinks, ownPageButton } from './render/parts.ts';

/** The link to her page, for a registrant who asked for it by entering her e-mail address. */
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
          'Somebody asked for it with your e-mail address. If that was not you, there is nothing to do: the link went to nobody else.',
        ),
      ],
    }),
    samples: () => ({ usual: { request: '2025-12-22-1' } }),
  },
} satisfies SomeLetters;

/** The letter with the link to her page, for a registrant who requested it by her address. */
export function placeLinkLetter(
  record: RegistrationRecord,
  request: string,
): MailOf<'place-link'> | undefined {
  const { deposit, forgottenAt } = record;
  return deposit === 'paid' && !forgottenAt && !isUnreachable(record)
    ? { kind: 'place-link', ...factsOf(record), request }
    : undefined;
}
