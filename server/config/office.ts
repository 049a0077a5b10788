import type { OfficeContact } from '#shared/page.ts';

/** The retreat office, as it is configured. */
export interface Office {
  email: string;
  phone: string;
  fax?: string | undefined;
  postalAddress?: string | undefined;
  legalName?: string | undefined;
}

/** The office in the form in which the shared content of page and letters uses it. */
export function contactOf({ email, phone, fax, postalAddress, legalName }: Office): OfficeContact {
  return {
    officeEmail: email,
    officePhone: phone,
    officeFax: fax ?? null,
    officePostalAddress: postalAddress ?? null,
    officeLegalName: legalName ?? null,
  };
}

/** Ways to cancel that the specification's policy offers and this office does not: a sentence for each. */
export function missingWays({ fax, postalAddress }: Office): string[] {
  const ways = [
    ['OFFICE_FAX', fax, 'fax'],
    ['OFFICE_POSTAL_ADDRESS', postalAddress, 'post'],
  ] as const;
  const words = 'is not set: the cancellation policy on the page and in the letters does not offer';
  return ways.flatMap(([name, value, way]) => (value === undefined ? `${name} ${words} ${way}` : []));
}
