import { type Announcements, readAnnouncements } from '#server/letters/announcements.ts';
import { type Said as LetterSaid, mailOf } from '#server/letters/letter-kind.ts';
import type { Writing } from '#server/letters/render/parts.ts';
import { type LetterName, letterTable } from '#server/letters/table.ts';
import { type Message, readMessages } from '#server/mail/messages.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import type { Edition } from '#shared/content/edition.ts';
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
  edition: Edition,
  payments: Pick<Payments, 'database'>,
  now: Date,
): Promise<EditionNow> {
  const announced = await readAnnouncements(payments, edition);
  return { edition, announced, messages: await readMessages(payments, edition), now };
}

export const editionCommand = commandsAbout<EditionNow>();

/** Whose page the letters lead to that the office reads before they go to many: nobody's. */
export const PREVIEWED = { id: 'reg_preview', linksEpoch: 0 };

/** A letter that goes to many, as somebody in the time zone of the retreat reads it. */
export function readingOf(
  context: CommandContext,
  edition: Edition,
  name: LetterName,
  says: (w: Writing) => LetterSaid,
  firstName = '[first name]',
): Said {
  const nobody = { lastName: '', email: 'somebody@example.org', phoneNumber: '', timeZone: '' };
  const about = { id: PREVIEWED.id, edition, registrant: { firstName, ...nobody } };
  return { letter: context.readingOf(mailOf(name, letterTable[name], about, { says })) };
}
