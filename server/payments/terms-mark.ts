/** In the metadata: which terms the registrant agreed to, and when. Absent where her browser runs an older page. */
export const TERMS_MARK = 'terms';

/** A registrant's consent to a version of her edition's terms. */
export interface Agreement {
  version: string;
  /** That of the text, see `Terms`. */
  digest: string;
  agreedAt: Date;
}

const AGREEMENT = /^([\w.-]+) ([0-9a-f]{64}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

/** What stands under `TERMS_MARK`: `2 608fc4… 2025-12-01T10:00:00.000Z`. */
export function formatAgreement({ version, digest, agreedAt }: Agreement): string {
  return `${version} ${digest} ${agreedAt.toISOString()}`;
}

/** What stands in a payment's metadata; undefined when nothing does, or nothing that this site wrote. */
export function readAgreement(metadata: Readonly<Record<string, string>>): Agreement | undefined {
  const [, version, digest, at] = AGREEMENT.exec(metadata[TERMS_MARK] ?? '') ?? [];
  if (version === undefined || digest === undefined || at === undefined) return undefined;
  const agreedAt = new Date(at);
  return Number.isNaN(agreedAt.getTime()) ? undefined : { version, digest, agreedAt };
}
