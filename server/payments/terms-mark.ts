/**
 * In the metadata: which terms the registrant agreed to, and when. Absent if she paid on an older version of
 * the page.
 */
export const TERMS_MARK = 'terms';

/** A registrant's consent to a version of her edition's terms. */
export interface Agreement {
  version: string;
  /** The digest of the text, see `Terms`. */
  digest: string;
  agreedAt: Date;
}

const AGREEMENT = /^([\w.-]+) ([0-9a-f]{64}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

/** The value under `TERMS_MARK`, such as `2 608fc4… 2025-12-01T10:00:00.000Z`. */
export function formatAgreement({ version, digest, agreedAt }: Agreement): string {
  return `${version} ${digest} ${agreedAt.toISOString()}`;
}

/**
 * The agreement in a payment's metadata; undefined when there is none, or its value is not one that this site
 * wrote.
 */
export function readAgreement(metadata: Readonly<Record<string, string>>): Agreement | undefined {
  const [, version, digest, at] = AGREEMENT.exec(metadata[TERMS_MARK] ?? '') ?? [];
  if (version === undefined || digest === undefined || at === undefined) return undefined;
  const agreedAt = new Date(at);
  return Number.isNaN(agreedAt.getTime()) ? undefined : { version, digest, agreedAt };
}
