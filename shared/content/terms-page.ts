/** The words around a version of the terms, on a page of its own. */
export const termsPage = {
  title: 'What you agree to',
  version: (version: string) => `Version ${version} of the policies for this retreat.`,
  frozen:
    'This page keeps the text of this version, with its prices and dates, also when there is a newer one. Each registration holds the version that was agreed to, the fingerprint of its text, and when.',
  digest: 'Fingerprint of the text (SHA-256):',
} as const;
