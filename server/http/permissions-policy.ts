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
