import { join } from 'node:path';
import { openStage, type Stage } from '#scripts/drills/chaos/stage.ts';
import { startCaddy } from '#scripts/product/caddy.ts';
import type { Child } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';

/** How many new registrations all apps together let through from one address. */
export const PER_ADDRESS = 5;

/** Twice the proxy's health check, and to spare. */
const DRAIN_SECONDS = 3;

/** A walk lasts long enough for another one to run into it, and a registration for its app to be killed. */
const STRIPE_MS = 150;

/** Several apps and workers behind the proxy of the operations page. */
export interface Fleet extends Stage {
  /** What the proxy wrote. */
  proxyLines: readonly string[];
  /** What Stripe says of each attempt to deliver a webhook. */
  webhooks: readonly string[];
  officeName: string;
}

interface FleetSize {
  apps: number;
  workers: number;
}

/**
 * Starts Redis, apps and workers, and the proxy in front of them. Visitors come through a proxy in front of that one, such
 * as a CDN, that names their addresses: so each of them has one of her own.
 */
export async function openFleet(folder: string, { apps, workers }: FleetSize): Promise<Fleet> {
  const port = await findFreePort();
  const [webhooks, proxyLines]: [string[], string[]] = [[], []];
  const stage = await openStage(folder, {
    ...{ apps, workers, siteUrl: `http://127.0.0.1:${port}`, stripeMs: STRIPE_MS },
    onWebhook: (line) => void webhooks.push(line),
    env: {
      RATE_LIMIT_PER_ADDRESS: String(PER_ADDRESS),
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      TRUST_PROXY: '2',
    },
  });
  let proxy: Child | undefined;
  const close = async (): Promise<void> => {
    await proxy?.stop();
    await stage.close();
  };
  try {
    proxy = await startCaddy({
      ...{ port, folder: join(folder, 'caddy'), siteName: '127.0.0.1' },
      sites: stage.apps.map(({ siteUrl }) => new URL(siteUrl).host),
      ops: stage.apps.map(({ opsUrl }) => new URL(opsUrl).host),
      change: (config) =>
        config.replaceAll('\t\thealth_uri', '\t\ttrusted_proxies 127.0.0.1/8\n\t\thealth_uri'),
      onLine: (line) => void proxyLines.push(line),
    });
    return { ...stage, proxyLines, webhooks, officeName: `office.retreat.example:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}
