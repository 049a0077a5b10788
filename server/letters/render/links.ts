import type { Office } from '#server/config/office.ts';
import { officeRegistrationPath } from '#server/links/office-links.ts';
import type { OwnPageLinks } from '#server/links/own-page-links.ts';
import type { WaitingLinks } from '#server/links/waiting-links.ts';
import type { WaitingMail } from '#server/mail/job.ts';
import type { Edition } from '#shared/content/edition.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { oncePer } from '#shared/once-per.ts';

/** What every message may use. */
export interface MessageContext {
  office: Office;
  /** The site's own address. */
  siteUrl: string;
  /** The URL of the office's pages; without it, letters to the office name commands instead. */
  officeUrl?: string | undefined;
  /** Makes the links to the pages of registrants. */
  links: Pick<OwnPageLinks, 'url' | 'confirmUrl' | 'endUrl' | 'takeUrl'>;
  /** Makes the links of the waiting list. */
  waitingLinks: Pick<WaitingLinks, 'confirmUrl' | 'leaveUrl' | 'offerUrl'>;
}

/** The URL of the page, as it is shown and linked. */
export function pageUrlOf({ siteUrl }: Pick<MessageContext, 'siteUrl'>): string {
  return new URL('/', siteUrl).href;
}

/** The office's page of a registration; undefined if the URL of the office's pages is not configured. */
export function officePageOf(context: MessageContext, id: string): string | undefined {
  return officeUrlOf(context, officeRegistrationPath(id));
}

/** The URL of another of the office's pages; undefined if that of its pages is not configured. */
export function officeUrlOf({ officeUrl }: MessageContext, path: string): string | undefined {
  return officeUrl === undefined ? undefined : new URL(path, officeUrl).href;
}

/** The URL that takes somebody off the waiting list; valid until the retreat is over. */
export function leaveUrlOf(
  { waitingId }: WaitingMail,
  { facts }: Edition,
  { waitingLinks }: MessageContext,
): string {
  return waitingLinks.leaveUrl({ waitingId, expiresAt: new Date(facts.endsAt) });
}

/** The words of a letter that become links wherever they occur. */
export interface LinkedWords {
  /** Matches any of them, as a group: `split` keeps it. */
  pattern: RegExp;
  /** Where a word leads; undefined for other words. */
  hrefOf(word: string): string | undefined;
}

/** The office's addresses, and those of the site's pages. */
export const linkedWords = oncePer((context: MessageContext): LinkedWords => {
  const { email, phone } = context.office;
  const pageUrl = pageUrlOf(context);
  const hrefs = new Map([
    [email, mailLink(email)],
    [phone, phoneLink(phone)],
    [phone.replaceAll(' ', '\u00a0'), phoneLink(phone)],
  ]);
  // Punctuation at the end of a sentence is not part of a URL.
  const address = `${escapePattern(pageUrl)}(?:[\\w./-]*\\w)?`;
  return {
    pattern: new RegExp(`(${[...[...hrefs.keys()].map(escapePattern), address].join('|')})`),
    hrefOf: (word) => hrefs.get(word) ?? (word.startsWith(pageUrl) ? word : undefined),
  };
});

function escapePattern(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
