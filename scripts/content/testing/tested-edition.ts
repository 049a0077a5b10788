/** The edition that the tests are written for. They run with it on sale, whichever the site sells. */
export const TESTED_EDITION = 'january-2026';
