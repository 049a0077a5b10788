import { placeLinkLetter, requestAt } from '#server/letters/place-link.ts';
import { linksEndAt } from '#server/links/own-page-links.ts';
import { oweLetters } from '#server/mail/queue.ts';
import { isUnreachable } from '#server/record/bounce-mark.ts';
import { hasOwnPage } from '#server/record/place-of-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { ActContext } from './act-context.ts';
import { moment } from './plain-words.ts';
import { plannedAct, type Standing } from './registration-act.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const COMES_BACK = 'Letters to her come back: correct her address first.';

/** Sends her the link to her page. Whoever has it can act for her, so it goes to her mailbox, and nobody else is shown it. */
export const sendLink = plannedAct({
  id: 'link',
  heading: 'Send her the link to her page',
  sentence: 'Sends her a letter with the link that opens her page.',
  group: 'link',
  help: ['Sends her the link to her page.'],
  whyNot: ({ record }) => whyNoPage({ record }) ?? (isUnreachable(record) ? COMES_BACK : undefined),
  confirm: () => 'Send her the link to her page',
  plan: ({ record, now }, _given, context) => ({
    says: [goesTo(record.registrant)],
    settles: false,
    carryOut: () => oweLink(context, record, requestAt(now), now),
  }),
});

/** The same with a new link: all older ones stop working. */
export const renewLink = plannedAct({
  id: 'renew-link',
  heading: 'Send her a new link to her page',
  sentence: 'Ends all links that she or anybody else has had until now, and sends her a new one.',
  group: 'link',
  command: 'link --renew',
  help: ['The same with a new link; those that she or anybody else has had until now no longer work.'],
  whyNot: whyNoPage,
  confirm: () => 'Send her a new link and end the older ones',
  plan: ({ record, now }, _given, context) => ({
    says: [
      'Older links no longer work.',
      isUnreachable(record) ? `No letter goes out. ${COMES_BACK}` : goesTo(record.registrant),
    ],
    settles: true,
    async carryOut(register) {
      const linksEpoch = await register.renewLinks(record);
      await oweLink(context, { ...record, linksEpoch }, `renewed-${linksEpoch}`, now);
    },
  }),
});

async function oweLink(
  { queue, openLetterLog }: ActContext,
  record: RegistrationRecord,
  request: string,
  now: Date,
): Promise<void> {
  const letter = placeLinkLetter(record, request);
  if (letter) await oweLetters([letter], { queue, letterLog: await openLetterLog(), now });
}

const goesTo = ({ email }: { email: string }): string => `A letter with the link goes to ${email}.`;

/**
 * A link with which a user of the office sees her page for a day, and cannot act on it. That it was taken is recorded,
 * and she is told.
 */
export const lookAtOwnPage = plannedAct({
  id: 'look',
  heading: 'See her page as she sees it',
  sentence: 'Shows you a link to her page, on which you cannot act. She is told by letter.',
  group: 'link',
  help: [
    'Prints a link that shows her page for a day; nobody can act on it. It is recorded, and a letter tells her.',
  ],
  whyNot: whyNoPage,
  confirm: () => 'Show me the link',
  tellsSecret: true,
  plan: ({ record, now, by }, _given, { openLinks }) => ({
    says: [
      'You see her page as she sees it, and cannot act on it.',
      'Her timeline says that you took the link, and a letter tells her, once a day at most.',
    ],
    async carryOut(register) {
      const links = await openLinks();
      const expiresAt = new Date(
        Math.min(now.getTime() + DAY_MS, linksEndAt(record.edition.facts).getTime()),
      );
      await register.recordOfficeLink(record, by, now);
      const url = links.lookUrl({ deposit: record.id, epoch: record.linksEpoch, expiresAt });
      return [`The link works until ${moment(expiresAt, record)}:`, url];
    },
  }),
});

function whyNoPage({ record }: Pick<Standing, 'record'>): string | undefined {
  if (record.forgottenAt) return 'This registration is forgotten: it no longer has a page.';
  return hasOwnPage(record)
    ? undefined
    : 'She has a page once her deposit is paid, or a place is held for her.';
}
