/**
 * The cache headers of an answer. A browser revalidates before it shows a page from its cache; a shared cache, such as
 * a CDN, serves some answers to many visitors. Answers without one of these policies are `keptByNobody`.
 */
export type CachePolicy = Readonly<Record<string, string>>;

/**
 * How long a shared cache serves the page by itself: in this time each location of the cache sends one request at most.
 */
const PAGE_FRESH_S = 10;

/** How long after that it may serve the old page while it revalidates. */
const PAGE_RENEWED_S = 10;

/**
 * And how long while no app answers: meanwhile an alert wakes somebody. Until the app is back, what the page links to
 * fails.
 */
const PAGE_WITHOUT_APP_S = 3600;

const stale = `stale-while-revalidate=${PAGE_RENEWED_S}, stale-if-error=${PAGE_WITHOUT_APP_S}`;

export const keptByNobody: CachePolicy = { 'Cache-Control': 'no-store' };

/**
 * For pages that are the same for everybody. `Cache-Control` is for browsers, and for shared caches that know
 * no other header; for some of them `s-maxage` forbids stale answers. Other caches follow
 * `CDN-Cache-Control`, which has no `s-maxage`.
 * @see https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.10
 * @see https://www.rfc-editor.org/rfc/rfc5861
 * @see https://www.rfc-editor.org/rfc/rfc9213
 */
export const keptForSeconds: CachePolicy = {
  'Cache-Control': `public, max-age=0, s-maxage=${PAGE_FRESH_S}, ${stale}`,
  'CDN-Cache-Control': `max-age=${PAGE_FRESH_S}, ${stale}`,
};

/** For files whose content changes under the same name. */
export const keptForAnHour: CachePolicy = { 'Cache-Control': 'public, max-age=3600' };

/** For files whose name changes with their content. */
export const keptForEver: CachePolicy = { 'Cache-Control': 'public, max-age=31536000, immutable' };
