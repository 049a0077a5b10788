/** The colours a reader's system asks for. */
export const schemes = ['light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

export function isScheme(name: string): name is Scheme {
  return schemes.some((scheme) => scheme === name);
}

/** A letter as it is shown in one scheme, whichever this machine's own is. */
export function showIn(scheme: Scheme, html: string): string {
  const applies = scheme === 'dark' ? 'all' : 'not all';
  return html
    .replaceAll('(prefers-color-scheme: dark)', applies)
    .replace('content="light dark"', `content="${scheme}"`);
}
