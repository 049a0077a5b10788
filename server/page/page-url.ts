import type { Config } from '#server/config/config.ts';

/** The page's own address: the root of the configured site, safe to stand in XML. */
export function pageUrl({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return new URL('/', publicUrl).href;
}
