import type { Config } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { isRegistrationOpen } from '#shared/content/registration-window.ts';
import type { SiteState } from '#shared/page.ts';
import type { Assets } from './assets.ts';
import type { PageKey } from './page-cache.ts';

/**
 * Returns the page for this moment. Of all that a page depends on, only whether registration is open changes while the
 * process runs.
 */
export function duePage(config: Config, assets: Assets, now: () => Date): () => PageKey {
  const { script, scripts, fonts, illustrations, inlineStyle, laterStyle } = assets;
  const pageFor = (registrationOpen: boolean): PageKey => {
    const options = {
      site: siteState(config, registrationOpen),
      assets: { script, scripts, fonts, illustrations, inlineStyle, laterStyle },
      pageUrl: pageUrl(config),
    };
    return { text: JSON.stringify(options), options };
  };
  const [open, closed] = [pageFor(true), pageFor(false)];
  return () => (isRegistrationOpen(facts, config.registration, now()) ? open : closed);
}

/** The page's own address: the root of the configured site, safe to stand in XML. */
export function pageUrl({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return new URL('/', publicUrl).href;
}

/** The part of the configuration that every visitor may read. */
function siteState({ office, stripe, pixel }: Config, registrationOpen: boolean): SiteState {
  return {
    ...contactOf(office),
    registrationOpen,
    stripePublishableKey: stripe.publishableKey,
    stripeScriptUrl: stripe.scriptUrl ?? null,
    metaPixelId: pixel?.id ?? null,
    metaPixelScriptUrl: pixel?.scriptUrl ?? null,
  };
}
