/**
 * What an answer tells caches. A browser asks again before it shows a page of its cache; a shared one, such as a CDN, takes
 * some answers for many visitors. All that is not one of these is kept by nobody.
 */
export type CachePolicy = Readonly<Record<string, string>>;

/** The page is answered from a shared cache for so long: at the most one request for each of its places in this time. */
const PAGE_FRESH_S = 10;

/** Then for so long as it was, while the cache asks what it is now. */
const PAGE_RENEWED_S = 10;

/** And for so long while no app answers: somebody is woken meanwhile. What the page leads to fails until then. */
const PAGE_WITHOUT_APP_S = 3600;

const stale = `stale-while-revalidate=${PAGE_RENEWED_S}, stale-if-error=${PAGE_WITHOUT_APP_S}`;

export const keptByNobody: CachePolicy = { 'Cache-Control': 'no-store' };

/**
 * For pages that are the same to all. `Cache-Control` is for browsers, and for the shared caches that know nothing better;
 * to some of these, `s-maxage` forbids whatever is stale. Others follow `CDN-Cache-Control`, which says it without.
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
