/** There is nothing at the address. */
export const notFoundPage = {
  title: 'This door leads nowhere',
  text: 'The page you asked for is not here. It may have moved, or the link that brought you may have lost a letter on the way.',
};

/** Something failed that the visitor cannot fix. */
export const failurePage = {
  title: 'Something went wrong on our side',
  text: 'It is not your doing, and nothing was charged by it. Please try again in a few minutes. If it goes on, the retreat office will gladly help:',
};

/** The label of the link back to the landing page. */
export const homeLink = 'To the retreat';

/** The words around a version of the terms, on a page of its own. */
export const termsPage = {
  title: 'What you agree to',
  version: (version: string) => `Version ${version} of the policies for this retreat.`,
  frozen:
    'This page keeps the text of this version, with its prices and dates, also when there is a newer one. Each registration holds the version that was agreed to, the fingerprint of its text, and when.',
  digest: 'Fingerprint of the text (SHA-256):',
} as const;
