import { mailLink } from '#shared/mail-link.ts';
import type { OfficeContact } from '#shared/page.ts';
import { phoneLink } from '#shared/phone-number.ts';
import type { Edition, Facts, Policy } from './edition.ts';
import { type SitePageName, sitePageNames } from './site-page-table.ts';

/** What the pages say depends on this. */
export interface SitePageOptions {
  edition: Pick<Edition, 'facts' | 'terms' | 'questions' | 'notices'>;
  office: OfficeContact;
  /** Whether the measurement pixel is on. */
  isMeasured: boolean;
}

/** A title with its text, which may be a link. */
export interface PageEntry {
  title: string;
  text: string;
  href?: string;
}

export interface PageTable {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A paragraph, a list of entries, or a table. */
export type PageBlock = string | { entries: readonly PageEntry[] } | { table: PageTable };

export interface PageSection {
  title: string;
  blocks: readonly PageBlock[];
}

/** A document to read, as data. */
export interface TextPage {
  title: string;
  eyebrow?: string;
  lede: string;
  sections: readonly PageSection[];
  /** Paragraphs in small type. */
  closing?: readonly string[];
}

/** Whether an edition asks about health. */
export function asksAboutHealth({ questions }: Pick<Edition, 'questions'>): boolean {
  return questions?.items.some(({ health }) => health !== undefined) ?? false;
}

/**
 * The pages that there are: the one about health data where the edition asks about health, or the pixel may tell a network
 * that somebody read this page.
 * @see https://app.leg.wa.gov/RCW/default.aspx?cite=19.373.020
 */
export function sitePagesOf(edition: Pick<Edition, 'questions'>, isMeasured: boolean): SitePageName[] {
  const hasHealthData = asksAboutHealth(edition) || isMeasured;
  return sitePageNames.filter((name) => name !== 'healthData' || hasHealthData);
}

/** A part of a text, such as a version of the terms or what an edition adds to a page, as a section. */
export const sectionOf = ({ title, paragraphs }: Policy): PageSection => ({ title, blocks: paragraphs });

/** The cells of a row, as texts write it: `one | two`. */
export const cellsOf = (row: string): string[] => row.split(' | ');

/** Lines such as `title | text` as entries. */
export function entriesOf(lines: readonly string[]): { entries: readonly PageEntry[] } {
  return {
    entries: lines.map((line) => {
      const [title = '', text = ''] = cellsOf(line);
      return { title, text };
    }),
  };
}

/** How to reach the office, and who it is. */
export function officeEntries(office: OfficeContact, { siteName }: Pick<Facts, 'siteName'>): PageEntry[] {
  const { officeLegalName, officePostalAddress, officeEmail, officePhone, officeFax } = office;
  return [
    { title: 'Run by', text: officeLegalName ?? siteName },
    ...(officePostalAddress ? [{ title: 'Postal address', text: officePostalAddress }] : []),
    { title: 'E-mail', text: officeEmail, href: mailLink(officeEmail) },
    { title: 'Phone', text: officePhone, href: phoneLink(officePhone) },
    ...(officeFax ? [{ title: 'Fax', text: officeFax }] : []),
  ];
}
