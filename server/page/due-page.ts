import type { Config } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { isRegistrationOpen, opensLater } from '#shared/content/registration-window.ts';
import { formatDate } from '#shared/dates.ts';
import type { SiteState } from '#shared/page.ts';
import type { Assets } from './assets.ts';
import type { PageKey } from './page-cache.ts';

type RegistrationState = Pick<SiteState, 'registrationOpen' | 'registrationOpensOn'>;

/**
 * Returns the page for this moment. Of all that a page depends on, only whether registration is open changes while the
 * process runs.
 */
export function duePage(config: Config, assets: Assets, now: () => Date): () => PageKey {
  const { script, scripts, fonts, illustrations, inlineStyle, laterStyle } = assets;
  const pageFor = (registration: RegistrationState): PageKey => {
    const options = {
      site: { ...siteState(config), ...registration },
      assets: { script, scripts, fonts, illustrations, inlineStyle, laterStyle },
      pageUrl: pageUrl(config),
    };
    return { text: JSON.stringify(options), options };
  };
  const open = pageFor({ registrationOpen: true });
  const closed = pageFor({ registrationOpen: false });
  const { opens } = facts.registration;
  const notYet =
    opens && pageFor({ registrationOpen: false, registrationOpensOn: formatDate(opens.slice(0, 10)) });
  return () => {
    if (isRegistrationOpen(facts, config.registration, now())) return open;
    return (opensLater(facts, config.registration, now()) && notYet) || closed;
  };
}

/** The page's own address: the root of the configured site, safe to stand in XML. */
export function pageUrl({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return new URL('/', publicUrl).href;
}

/** The part of the configuration that every visitor may read. */
function siteState({ office, stripe, pixel }: Config): Omit<SiteState, keyof RegistrationState> {
  return {
    ...contactOf(office),
    stripePublishableKey: stripe.publishableKey,
    stripeScriptUrl: stripe.scriptUrl ?? null,
    metaPixelId: pixel?.id ?? null,
    metaPixelScriptUrl: pixel?.scriptUrl ?? null,
  };
}
