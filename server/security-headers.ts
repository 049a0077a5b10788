import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { videoEmbedHosts } from '#shared/content/video-hosts.ts';
import { themeScript } from '#shared/theme.ts';
import type { Config } from './config.ts';

/** @see https://docs.stripe.com/security/guide#content-security-policy */
const STRIPE_SCRIPTS = ['https://js.stripe.com', 'https://*.js.stripe.com'];
const STRIPE_FRAMES = [...STRIPE_SCRIPTS, 'https://hooks.stripe.com'];
const STRIPE_API = ['https://api.stripe.com'];

/** Where an embedded video comes from once a visitor presses play (R1.7). */
const VIDEO_FRAMES = videoEmbedHosts.map((host) => `https://${host}`);

/** The one inline script, by its hash; it runs before the first paint (R1.15). */
const THEME_SCRIPT = `'sha256-${createHash('sha256').update(themeScript).digest('base64')}'`;

/** A strict policy without any other inline script or style; only Stripe and the video hosts besides the site itself. */
export function securityHeaders({ stripe, publicUrl }: Config): RequestHandler {
  const standIn = stripe.scriptUrl === undefined ? undefined : [new URL(stripe.scriptUrl).origin];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", THEME_SCRIPT, ...(standIn ?? STRIPE_SCRIPTS)],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", ...(standIn ?? STRIPE_API)],
        frameSrc: [...(standIn ?? STRIPE_FRAMES), ...VIDEO_FRAMES],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(publicUrl.startsWith('https:') && { upgradeInsecureRequests: [] }),
      },
    },
    // Video hosts refuse to play for a page that does not say where it is.
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    xFrameOptions: { action: 'deny' },
  });
}
