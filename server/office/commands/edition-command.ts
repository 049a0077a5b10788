import { type Announcements, readAnnouncements } from '#server/letters/announcements.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { type Said as LetterSaid, mailOf } from '#server/letters/letter-kind.ts';
import type { Writing } from '#server/letters/render/parts.ts';
import { type LetterName, letterTable } from '#server/letters/table.ts';
import { type Message, readMessages } from '#server/mail/messages.ts';
import type { Edition } from '#shared/content/edition.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { type CommandContext, commandsAbout, type Said } from './command.ts';

/** An edition, and what the office has announced and written to everybody who comes to it. */
export interface EditionNow {
  edition: Edition;
  announced: Announcements;
  /** The newest first. */
  messages: readonly Message[];
  now: Date;
}

export async function findEditionNow(
  { payments, now }: Pick<CommandContext, 'payments' | 'now'>,
  edition: Edition,
): Promise<EditionNow> {
  const announced = await readAnnouncements(payments, edition);
  return { edition, announced, messages: await readMessages(payments, edition), now: now() };
}

export const editionCommand = commandsAbout<EditionNow>();

/** Whose page the letters lead to that the office reads before they go to many: nobody's. */
export const PREVIEWED = { id: 'reg_preview', linksEpoch: 0 };

/** A letter that goes to many, as somebody in the time zone of the retreat reads it; the link to her page is a placeholder. */
export function readingOf(
  { config }: Pick<CommandContext, 'config'>,
  edition: Edition,
  name: LetterName,
  says: (w: Writing) => LetterSaid,
  firstName = '[first name]',
): Said {
  const { office, publicUrl: siteUrl } = config;
  const links = { url: () => new URL(`${ownPagePaths.enter}HER-OWN-LINK`, siteUrl).href };
  const nobody = { lastName: '', email: 'somebody@example.org', phoneNumber: '', timeZone: '' };
  const about = { id: PREVIEWED.id, edition, registrant: { firstName, ...nobody } };
  const mail = mailOf(name, letterTable[name], about, { says });
  const { subject, text } = composeMessage(mail, { office, siteUrl, links });
  return { letter: { subject, text } };
}
