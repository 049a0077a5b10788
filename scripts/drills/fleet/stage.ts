import { openStage, type Stage } from '#scripts/drills/stage/stage.ts';
import type { Random } from '#scripts/world/random.ts';

/** How many new registrations all apps together let through from one address. */
const PER_ADDRESS = 5;

/** Twice the interval of the proxy's health check, plus a margin. */
const DRAIN_SECONDS = 3;

/** Long enough that the work of two workers could overlap, and that an app can be killed during a registration. */
const STRIPE_MS = 150;

/** Several apps and workers behind the proxy of the operations page. */
export interface Fleet extends Stage {
  /** The host name of the office's pages, at the site's address. */
  officeName: string;
}

/**
 * Starts Redis, apps and workers, and the proxy in front of them. Visitors seem to come through a second proxy in front of
 * that one, such as a CDN, which reports their IP addresses: so each visitor has an address of her own.
 */
export async function openFleet(
  folder: string,
  random: Random,
  size: { apps: number; workers: number },
): Promise<Fleet> {
  const trusting = '\t\ttrusted_proxies 127.0.0.1/8\n\t\thealth_uri';
  const stage = await openStage({
    ...{ folder, random, ...size, stripeMs: STRIPE_MS },
    proxy: { change: (config) => config.replaceAll('\t\thealth_uri', trusting) },
    env: {
      RATE_LIMIT_PER_ADDRESS: String(PER_ADDRESS),
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      TRUST_PROXY: '2',
    },
  });
  return Object.assign(stage, { officeName: `office.retreat.example:${new URL(stage.siteUrl).port}` });
}
