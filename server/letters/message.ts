import { isUnreachable, type RegistrationRecord, sha256Of } from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';
import { typedText } from '#shared/typed-text.ts';
import { type LetterKinds, type Mail, mailOf, type RequestedLetter, type Said } from './letter-kind.ts';
import { isUnheard } from './registration-letters.ts';
import { type Block, button, type Passage } from './render/letter.ts';
import { cleanName, isolate, safeName, withProbableNames } from './render/names.ts';
import { pageButton, pageUrlOf, type Writing } from './render/parts.ts';

/** What stands for her first name, and, on a line of its own, for the button to her page. */
const FIRST_NAME = '{first name}';
export const LINK = '{link}';

export const SUBJECT_LENGTH = 120;
export const TEXT_LENGTH = 10_000;

export const SAMPLE_NAME = 'Wilma';

export interface Written {
  message: string;
  subject: string;
  text: string;
}

/** The letters that the office writes itself. Their words are no markup: all is escaped. */
export const message = {
  message: {
    about: 'request',
    name: 'A message from the office',
    toAll: true,
    // Who has not paid may be anybody, with any words for a name.
    names: 'probable ones',
  },
  'message-test': { about: 'request', to: 'office', name: 'A test of a message' },
} satisfies LetterKinds<RequestedLetter>;

export function messageLetter(record: RegistrationRecord, written: Written): Mail | undefined {
  if (!canWriteTo(record)) return undefined;
  const { firstName } = withProbableNames(record.registrant);
  return mailOf('message', message.message, record, {
    version: written.message,
    says: (w) => messageWords(written, firstName, w, record.deposit === 'paid' ? record : undefined),
  });
}

/** @param reader whose page its button leads to; without one, it leads to the site */
export function messageWords(
  written: Written,
  firstName: string,
  w: Writing,
  reader?: Pick<RegistrationRecord, 'id' | 'linksEpoch'>,
): Said {
  const button = reader ? pageButton(reader, w, 'Your own page') : siteButton(w);
  return { ...saidIn(written, firstName, w, [button]), subject: written.subject };
}

export function testLetter(edition: Edition, written: Written): Mail {
  const about = { id: edition.facts.id, edition };
  return mailOf('message-test', message['message-test'], about, {
    version: written.message,
    says: (w) => ({
      ...saidIn(written, SAMPLE_NAME, w, [
        siteButton(w),
        '(In the message itself, this button leads to her own page. Here it leads to the site.)',
      ]),
      subject: `Test: ${written.subject}`,
      greets: SAMPLE_NAME,
    }),
  });
}

function saidIn({ subject, text }: Written, firstName: string, w: Writing, link: readonly Passage[]): Said {
  const name = isolate(safeName(cleanName(firstName)));
  const paragraphs = paragraphsOf(text);
  return {
    title: subject,
    blocks: paragraphs.flatMap((one): readonly Passage[] => (one === LINK ? link : [withName(one, name)])),
    reason: `You received this e-mail because of your registration for ${w.title} at ${pageUrlOf(w)}. The retreat office wrote it.`,
  };
}

function siteButton(w: Writing): Block {
  return button(w.edition.facts.siteName, pageUrlOf(w));
}

function paragraphsOf(text: string): string[] {
  const alone = text.replaceAll(/^\{link\}$/gm, `\n${LINK}\n`);
  return alone.split(/\n{2,}/).flatMap((one) => one.trim() || []);
}

function withName(text: string, name: string): string {
  return name
    ? text.replaceAll(FIRST_NAME, () => name)
    : text.replaceAll(/^\{first name\}(?:, | )?|,? ?\{first name\}/gm, '');
}

/** Lines without characters that affect others, and at most one empty line between paragraphs. */
export function cleanText(typed: string): string {
  const lines = typed.split(/\r\n?|\n/).map((line) => cleanName(typedText(line)));
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

export function textProblem(text: string): string | undefined {
  const placeholders = text.match(/\{[^{}\n]*\}?|\}/g) ?? [];
  const unknown = placeholders.find((one) => one !== FIRST_NAME && one !== LINK);
  if (unknown !== undefined)
    return `“${unknown}” stands for nothing: only ${FIRST_NAME} and ${LINK} may be in braces`;
  const isAmid = text.split('\n').some((line) => line.includes(LINK) && line !== LINK);
  return isAmid ? `${LINK} needs a line of its own: it becomes the button to her page` : undefined;
}

/** The id of a message: the same words are the same letter, which nobody gets twice. */
export function messageId({ facts }: Edition, subject: string, text: string): string {
  return sha256Of(JSON.stringify([facts.id, subject, text])).slice(0, 16);
}

/** Not to one who has not paid, whose address anybody may have entered, while too many letters went to such ones. */
const canWriteTo = (record: RegistrationRecord): boolean =>
  !record.forgottenAt && record.registrant.email !== '' && !isUnreachable(record) && !isUnheard(record);
