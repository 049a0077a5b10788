import type { OfficeContact } from '#shared/page.ts';
import type { Facts, Policy, Terms } from './edition.ts';

/** Makes the spaces of a phone number no-break spaces. */
export const onOneLine = (text: string): string => text.replaceAll(' ', '\u00a0');

export const officePlaceholders = ['officeEmail', 'officePhone', 'waysToCancel'] as const;

/** The path of a version of an edition's terms; it stays valid when there is a newer version. */
export function termsPathOf({ id }: Pick<Facts, 'id'>, { version }: Pick<Terms, 'version'>): string {
  return `/terms/${id}-${version}`;
}

/**
 * What a registrant agrees to, with the office's data filled in: payment, cancellation and recordings (R8).
 * @param siteName the addressee of a postal address if no legal name is configured
 */
export function policiesOf(terms: Terms, office: OfficeContact, siteName: string): readonly Policy[] {
  const words: Record<(typeof officePlaceholders)[number], string> = {
    officeEmail: office.officeEmail,
    officePhone: onOneLine(office.officePhone),
    waysToCancel: waysToCancel(office, siteName),
  };
  const fill = (text: string) =>
    officePlaceholders.reduce((filled, name) => filled.replaceAll(`{${name}}`, words[name]), text);
  return terms.policies.map(({ title, paragraphs }) => ({ title, paragraphs: paragraphs.map(fill) }));
}

export function waysToCancel(
  { officeEmail, officeFax, officePostalAddress, officeLegalName }: OfficeContact,
  siteName: string,
): string {
  const ways = [{ name: 'e-mail', act: `write to ${officeEmail}` }];
  if (officeFax) ways.push({ name: 'fax', act: `fax ${onOneLine(officeFax)}` });
  if (officePostalAddress) {
    const addressee = officeLegalName ?? siteName;
    ways.push({ name: 'post', act: `send a letter to ${addressee}, ${officePostalAddress}` });
  }
  return `by ${oneOf(ways.map(({ name }) => name))}: ${oneOf(ways.map(({ act }) => act))}`;
}

function oneOf(words: readonly string[]): string {
  const [last = '', others] = [words.at(-1), words.slice(0, -1)];
  return others.length === 0 ? last : `${others.join(', ')} or ${last}`;
}
