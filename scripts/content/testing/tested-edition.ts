/** The edition that the tests are written for: they run with it on sale, whichever edition the site sells. */
export const TESTED_EDITION = 'january-2026';
