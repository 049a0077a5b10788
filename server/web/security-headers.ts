import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { AppConfig } from '#server/config/config.ts';
import { videoEmbedHosts } from '#shared/content/video-hosts.ts';
import { headScript, themeScript } from '#shared/head/head-script.ts';

/** @see https://docs.stripe.com/security/guide#content-security-policy */
const STRIPE_SCRIPTS = ['https://js.stripe.com', 'https://*.js.stripe.com'];
const STRIPE_FRAMES = [...STRIPE_SCRIPTS, 'https://hooks.stripe.com'];
const STRIPE_API = ['https://api.stripe.com'];

/** The origins whose frames may use the Payment Request API. */
const STRIPE_WALLETS = ['https://js.stripe.com', 'https://hooks.stripe.com'];

/** Where the measurement pixel's script comes from, and where it reports to (R6.1). */
const PIXEL_SCRIPTS = ['https://connect.facebook.net'];
const PIXEL_REPORTS = ['https://www.facebook.com'];

/** Where an embedded video comes from once a visitor presses play (R1.7). */
const VIDEO_FRAMES = videoEmbedHosts.map((host) => `https://${host}`);

/** The inline scripts of the page and of the error pages, by their hashes; they run before the first paint (R1.15). */
const INLINE_SCRIPTS = [hashOf(headScript), hashOf(themeScript)];

/** A year, for this host only: it is not known here which other hosts are below its domain. */
const STRICT_TRANSPORT = { maxAge: 31_536_000, includeSubDomains: false };

/**
 * The headers of every answer, with a strict policy: no inline script or style except these; besides the site itself
 * only Stripe, the video hosts, and the measurement pixel if there is one.
 */
export function securityHeaders(
  { stripe, pixelId, publicUrl }: AppConfig,
  { inlineStyle }: { inlineStyle: string },
): Readonly<Record<string, string>> {
  const standIn = originOf(stripe.scriptUrl);
  const [pixelScripts, pixelReports] = pixelId ? [PIXEL_SCRIPTS, PIXEL_REPORTS] : [[], []];
  const encrypted = publicUrl.startsWith('https:');
  const protection = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...INLINE_SCRIPTS, ...(standIn ?? STRIPE_SCRIPTS), ...pixelScripts],
        styleSrc: ["'self'", hashOf(inlineStyle)],
        imgSrc: ["'self'", 'data:', ...pixelReports],
        connectSrc: ["'self'", ...(standIn ?? STRIPE_API), ...pixelScripts, ...pixelReports],
        frameSrc: [...(standIn ?? STRIPE_FRAMES), ...VIDEO_FRAMES],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(encrypted && { upgradeInsecureRequests: [] }),
      },
    },
    strictTransportSecurity: encrypted && STRICT_TRANSPORT,
    // Never more than the origin: a URL may contain secrets, and the pixel reports the page a visitor came
    // from. Never less: video hosts refuse to play on a page that does not send its origin.
    referrerPolicy: { policy: 'strict-origin' },
    xFrameOptions: { action: 'deny' },
    // Link asks her to sign in in a window of its own: https://docs.stripe.com/payments/link/card-element-link
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
  });
  const permissions = permissionsPolicy({ payment: standIn ?? STRIPE_WALLETS, video: VIDEO_FRAMES });
  return { ...headersSetBy(protection), 'Permissions-Policy': permissions };
}

/** Helmet sets the same headers on every answer, so they are read once. */
function headersSetBy(protection: ReturnType<typeof helmet>): Record<string, string> {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  protection(req, res, () => {});
  return Object.fromEntries(res.getHeaderNames().map((name) => [name, String(res.getHeader(name))]));
}

/** The CSP source that allows exactly this inline script or style. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function originOf(url: string | undefined): string[] | undefined {
  return url === undefined ? undefined : [new URL(url).origin];
}

/** Features that no part of the page uses: neither the site, nor a video, nor the payment. */
const UNUSED = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'screen-wake-lock',
  'serial',
  'sync-xhr',
  'usb',
  'xr-spatial-tracking',
];

/** Features for the players of the video hosts, see `client/ui/video-player.tsx`. */
const FOR_VIDEOS = ['autoplay', 'encrypted-media', 'fullscreen', 'picture-in-picture'];

/**
 * Features for wallets, and for the passkeys that banks ask for.
 * @see https://docs.stripe.com/security/guide
 */
const FOR_PAYMENT = ['payment', 'publickey-credentials-get'];

interface Origins {
  payment: readonly string[];
  video: readonly string[];
}

/**
 * The value of the header that denies page and frames all browser features except those that they use.
 * @see https://www.w3.org/TR/permissions-policy/
 */
export function permissionsPolicy({ payment, video }: Partial<Origins> = {}): string {
  return [
    ...UNUSED.map((feature) => `${feature}=()`),
    ...FOR_VIDEOS.map((feature) => `${feature}=${allowlist(video)}`),
    ...FOR_PAYMENT.map((feature) => `${feature}=${allowlist(payment)}`),
  ].join(', ');
}

function allowlist(origins: readonly string[] | undefined): string {
  if (!origins) return '()';
  return `(${['self', ...origins.map((origin) => `"${origin}"`)].join(' ')})`;
}

/** For pages that must not be indexed and whose URL other sites must not learn: it shows who is registered. */
export const privately: RequestHandler = (_req, res, next) => {
  res.set({ 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
  next();
};
