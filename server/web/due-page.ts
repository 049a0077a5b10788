import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { isRegistrationOpen, opensLater, timingOfBalance } from '#shared/content/moments.ts';
import { formatDate } from '#shared/dates.ts';
import type { BalanceTiming, SiteState } from '#shared/page.ts';
import type { Assets } from './assets.ts';
import type { PageKey } from './page-cache.ts';

type DatedState = Pick<SiteState, 'registrationOpen' | 'registrationOpensOn' | 'isFull' | 'balanceTiming'>;

/**
 * Returns a function for the page that is due at this moment. While the process runs, the page changes only
 * with the date, which decides whether registration is open and when the balance is paid after the deposit;
 * and with whether a place is left.
 */
export function duePage(
  config: AppConfig,
  assets: Assets,
  now: () => Date,
  isFull: () => boolean,
): () => PageKey {
  const { script, scriptImports, stepper, fonts, inlineStyle, laterStyle } = assets;
  const pageFor = (dated: DatedState): PageKey => {
    const options = {
      site: { ...siteState(config), ...dated },
      assets: { script, scriptImports, stepper, fonts, inlineStyle, laterStyle },
      pageUrl: pageUrl(config),
    };
    return { text: JSON.stringify(options), options };
  };
  const openPages = (state: DatedState) =>
    ({
      'on-due-day': pageFor(state),
      'days-after-deposit': pageFor({ ...state, balanceTiming: 'days-after-deposit' }),
      'asked-for': pageFor({ ...state, balanceTiming: 'asked-for' }),
    }) satisfies Record<BalanceTiming, PageKey>;
  const withPlaces = openPages({ registrationOpen: true });
  const full = openPages({ registrationOpen: true, isFull: true });
  const closed = pageFor({ registrationOpen: false });
  const { opens } = facts.registration;
  const notYet =
    opens && pageFor({ registrationOpen: false, registrationOpensOn: formatDate(opens.slice(0, 10)) });
  return () => {
    const moment = now();
    if (isRegistrationOpen(facts, config.registration, moment))
      return (isFull() ? full : withPlaces)[timingOfBalance(facts, moment)];
    return (opensLater(facts, config.registration, moment) && notYet) || closed;
  };
}

/** The URL of the page: the root of the configured site, safe to use in XML. */
export function pageUrl({ publicUrl }: Pick<AppConfig, 'publicUrl'>): string {
  return new URL('/', publicUrl).href;
}

/** The part of the configuration that every visitor may read. */
function siteState({ office, stripe, pixelId }: AppConfig): Omit<SiteState, keyof DatedState> {
  return {
    ...contactOf(office),
    stripePublishableKey: stripe.publishableKey,
    stripeScriptUrl: stripe.scriptUrl ?? null,
    metaPixelId: pixelId ?? null,
  };
}
