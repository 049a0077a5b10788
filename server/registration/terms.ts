import type { ActRow } from '#server/database/database.ts';
import type { AgreedTerms, Edition } from '#shared/content/edition.ts';
import { type Agreement, lastOfKind } from './acts.ts';

type Text = Pick<Agreement, 'version' | 'digest'>;

export function isOfText(one: Text, other: Text): boolean {
  return one.version === other.version && one.digest === other.digest;
}

/** The terms that a text of an edition names; undefined where the edition never had it. */
export function termsOfText({ agreed }: Pick<Edition, 'agreed'>, text: Text): AgreedTerms | undefined {
  return agreed.find((terms) => isOfText(terms, text));
}

/** The terms that were agreed to last; undefined where none are on record. */
export function agreedTermsOf(
  edition: Pick<Edition, 'agreed'>,
  acts: readonly ActRow[],
): AgreedTerms | undefined {
  const agreement = lastOfKind(acts, 'consent');
  return agreement && termsOfText(edition, agreement);
}
