import { createHash } from 'node:crypto';
import type { MailOf } from '#server/mail/job.ts';
import type { Written } from '#server/mail/job-facts.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { typedText } from '#shared/typed-text.ts';
import { factsOf, type Said, type SomeLetters } from './letter-kind.ts';
import { isUnheard } from './registration-letters.ts';
import { type Block, button, type Passage } from './render/letter.ts';
import { cleanName, isolate, safeName } from './render/names.ts';
import { type MessageContext, ownPageButton, pageUrlOf } from './render/parts.ts';

/** What stands for her first name, and, on a line of its own, for the button to her page. */
const FIRST_NAME = '{first name}';
export const LINK = '{link}';

/** The longest subject and text, in UTF-16 units. */
export const SUBJECT_LENGTH = 120;
export const TEXT_LENGTH = 10_000;

/** The name of the sample reader of previews and tests. */
export const SAMPLE_NAME = 'Wilma';

/** The letters that the office writes itself. Their words are no markup: all is escaped. */
export const message = {
  message: {
    name: 'A message from the office',
    subject: ({ facts }, letter) => letter?.subject ?? `A message about ${facts.title}`,
    // Who has not paid may be anybody, with any words for a name.
    names: 'probable ones',
    says: (letter, edition, context) =>
      saidIn(letter, letter.firstName, edition, context, [
        letter.hasPage ? ownPageButton(letter, edition, context) : siteButton(edition, context),
      ]),
    samples: (edition) => ({
      usual: { ...sampleOf(edition), groups: ['registered'], hasPage: true },
    }),
  },
  'message-test': {
    name: 'A test of a message',
    subject: (_edition, { subject }) => `Test: ${subject}`,
    says: (letter, edition, context) =>
      saidIn(letter, SAMPLE_NAME, edition, context, [
        siteButton(edition, context),
        '(In the message itself, this button leads to her own page. Here it leads to the site.)',
      ]),
    samples: (edition) => ({ usual: sampleOf(edition) }),
  },
} satisfies SomeLetters;

function saidIn(
  { subject, text }: Written,
  firstName: string,
  { facts }: Edition,
  context: MessageContext,
  link: readonly Passage[],
): Said {
  const name = isolate(safeName(cleanName(firstName)));
  const paragraphs = paragraphsOf(text);
  const first = paragraphs.find((one) => one !== LINK) ?? '';
  return {
    preheader: beginningOf(withName(first, '')),
    title: subject,
    blocks: paragraphs.flatMap((one): readonly Passage[] =>
      one === LINK ? link : [{ kind: 'paragraph', text: withName(one, name), leadsOut: true }],
    ),
    reason: `You received this e-mail because of your registration for ${facts.title} at ${pageUrlOf(context)}. The retreat office wrote it.`,
  };
}

function siteButton({ facts }: Edition, context: MessageContext): Block {
  return button(facts.siteName, pageUrlOf(context));
}

function paragraphsOf(text: string): string[] {
  const alone = text.replaceAll(/^\{link\}$/gm, `\n${LINK}\n`);
  return alone.split(/\n{2,}/).flatMap((one) => one.trim() || []);
}

/** Without a name that may be shown, the sentence goes on without one. */
function withName(text: string, name: string): string {
  return name
    ? text.replaceAll(FIRST_NAME, () => name)
    : text.replaceAll(/^\{first name\}(?:, | )?|,? ?\{first name\}/gm, '');
}

const BEGINNING = 120;

function beginningOf(paragraph: string): string {
  const line = cleanName(paragraph);
  return line.length <= BEGINNING ? line : `${line.slice(0, BEGINNING).replace(/\s+\S*$/, '')} …`;
}

/** A text as it is kept: lines without characters that affect others, and at most one empty line between paragraphs. */
export function cleanText(typed: string): string {
  const lines = typed.split(/\r\n?|\n/).map((line) => cleanName(typedText(line)));
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Why a text cannot be sent, for its author; undefined where it can. */
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
  return createHash('sha256')
    .update(JSON.stringify([facts.id, subject, text]))
    .digest('hex')
    .slice(0, 16);
}

/** Why nobody can write to her, whatever the letter says. */
export type Unwritten =
  /** Her personal data were removed. */
  | 'no-address'
  /** Letters to her address come back. */
  | 'bounced'
  /** She has not paid, and anybody may have entered this address: too many letters went to such ones. */
  | 'waits';

export function whyUnwritten(record: RegistrationRecord): Unwritten | undefined {
  if (record.forgottenAt || record.registrant.email === '') return 'no-address';
  if (isUnreachable(record)) return 'bounced';
  return isUnheard(record) ? 'waits' : undefined;
}

/** A message as a letter to her; undefined where no letter reaches her. */
export function messageLetter(
  record: RegistrationRecord,
  written: Written & { groups: readonly string[] },
): MailOf<'message'> | undefined {
  if (whyUnwritten(record)) return undefined;
  const { message, subject, text, groups } = written;
  const hasPage = record.deposit === 'paid' && { hasPage: true as const };
  return { kind: 'message', ...factsOf(record), message, subject, text, groups, ...hasPage };
}

function sampleOf({ facts }: Edition): Written {
  const text = [
    `Two things before we begin, ${FIRST_NAME}.`,
    'Please have paper and a pen at hand, and something warm to drink.\nA quiet corner is enough; it need not be a whole room.',
    'If you would like to bring a poem, please do.',
    'Your own page shows when we meet.',
    LINK,
    '<b>This is no markup</b> & stays as it was typed.',
  ].join('\n\n');
  return { message: '1f2e3d4c5b6a7988', subject: `What to have at hand for ${facts.title}`, text };
}
