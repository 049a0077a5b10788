import type { Config } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { timingOfBalance } from '#shared/content/moments.ts';
import { isRegistrationOpen, opensLater } from '#shared/content/registration-window.ts';
import { formatDate } from '#shared/dates.ts';
import type { BalanceTiming, SiteState } from '#shared/page.ts';
import type { Assets } from './assets.ts';
import type { PageKey } from './page-cache.ts';

type DatedState = Pick<SiteState, 'registrationOpen' | 'registrationOpensOn' | 'balanceTiming'>;

/**
 * Returns the page for this moment. Of all that a page depends on, only what its date decides changes while the process
 * runs: whether registration is open, and how the balance follows the deposit.
 */
export function duePage(config: Config, assets: Assets, now: () => Date): () => PageKey {
  const { script, scripts, fonts, illustrations, inlineStyle, laterStyle } = assets;
  const pageFor = (dated: DatedState): PageKey => {
    const options = {
      site: { ...siteState(config), ...dated },
      assets: { script, scripts, fonts, illustrations, inlineStyle, laterStyle },
      pageUrl: pageUrl(config),
    };
    return { text: JSON.stringify(options), options };
  };
  const openPages = {
    'on-due-day': pageFor({ registrationOpen: true }),
    'days-after-deposit': pageFor({ registrationOpen: true, balanceTiming: 'days-after-deposit' }),
    'asked-for': pageFor({ registrationOpen: true, balanceTiming: 'asked-for' }),
  } satisfies Record<BalanceTiming, PageKey>;
  const closed = pageFor({ registrationOpen: false });
  const { opens } = facts.registration;
  const notYet =
    opens && pageFor({ registrationOpen: false, registrationOpensOn: formatDate(opens.slice(0, 10)) });
  return () => {
    const moment = now();
    if (isRegistrationOpen(facts, config.registration, moment))
      return openPages[timingOfBalance(facts, moment)];
    return (opensLater(facts, config.registration, moment) && notYet) || closed;
  };
}

/** The page's own address: the root of the configured site, safe to stand in XML. */
export function pageUrl({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return new URL('/', publicUrl).href;
}

/** The part of the configuration that every visitor may read. */
function siteState({ office, stripe, pixel }: Config): Omit<SiteState, keyof DatedState> {
  return {
    ...contactOf(office),
    stripePublishableKey: stripe.publishableKey,
    stripeScriptUrl: stripe.scriptUrl ?? null,
    metaPixelId: pixel?.id ?? null,
    metaPixelScriptUrl: pixel?.scriptUrl ?? null,
  };
}
