import { dropQuery } from '#client/store/letter-link.ts';

const PIXEL_SCRIPT = 'https://connect.facebook.net/en_US/fbevents.js';

/** The measurement pixel. It reports nothing without consent. */
export type Pixel = ReturnType<typeof createPixel>;

interface PixelSettings {
  id: string;
  /** Another script, or null for the pixel's own. */
  scriptUrl: string | null;
}

/**
 * Creates the pixel without loading anything. It never receives a name, an e-mail address or a phone number.
 */
export function createPixel({ id, scriptUrl }: PixelSettings) {
  let granted = false;
  /** Calls to send at the next consent. */
  let pending: PixelCall[] = [
    // Turns off the pixel's automatic reading of the page, its buttons and its fields.
    ['set', 'autoConfig', false, id],
    ['init', id],
    ['track', 'PageView'],
  ];
  return {
    /** Starts reporting; at the first consent, loads the pixel's script and reports the page view. */
    grant(): void {
      granted = true;
      // The pixel reports the page's address, whose query may identify the visitor.
      dropQuery();
      const pixel = window.fbq ?? installPixelQueue();
      pixel('consent', 'grant');
      for (const call of pending.splice(0)) pixel(...call);
      loadScript(scriptUrl ?? PIXEL_SCRIPT);
    },
    revoke(): void {
      granted = false;
      const pixel = window.fbq;
      // The script is still loading: take back the calls that are queued for it.
      if (pixel && !pixel.callMethod) pending = pixel.queue.splice(0);
      pixel?.('consent', 'revoke');
      forgetPixelCookies();
    },
    /** Reports a standard event; `eventId` identifies it when another source reports the same event. */
    track(name: string, data: object = {}, eventId?: string): void {
      if (!granted) return;
      if (eventId === undefined) window.fbq?.('track', name, data);
      else window.fbq?.('track', name, data, { eventID: eventId });
    },
    trackCustom(name: string, data: object = {}): void {
      if (granted) window.fbq?.('trackCustom', name, data);
    },
  };
}

const SCRIPT_ID = 'measurement-pixel';

/** Loads the script once; again only after a failure. */
function loadScript(url: string): void {
  if (document.getElementById(SCRIPT_ID)) return;
  const script = document.createElement('script');
  script.id = SCRIPT_ID;
  script.async = true;
  script.src = url;
  script.onerror = () => script.remove();
  document.head.append(script);
}

const PIXEL_COOKIES = ['_fbp', '_fbc'];

/** Deletes the pixel's cookies for this host and its parent domains: which one they are for is unknown. */
function forgetPixelCookies(): void {
  const labels = location.hostname.split('.');
  const domains = labels.map((_label, index) => labels.slice(index).join('.'));
  for (const name of PIXEL_COOKIES) {
    for (const scope of ['', ...domains.map((domain) => `; domain=${domain}`)]) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that this is built for
      document.cookie = `${name}=; max-age=0; path=/${scope}`;
    }
  }
}

/** The calls of the pixel's script that are used here. */
type PixelCall =
  | ['consent', 'grant' | 'revoke']
  | ['set', 'autoConfig', boolean, string]
  | ['init', string]
  | ['track', string, object?, { eventID: string }?]
  | ['trackCustom', string, object?];

/** The global function that queues calls until the pixel's script has loaded and processes them. */
interface PixelQueue {
  (...call: PixelCall): void;
  callMethod?: (...call: PixelCall) => void;
  queue: PixelCall[];
  push: (...call: PixelCall) => void;
  loaded: boolean;
  version: string;
  /** Prevents a page view from being counted whenever the address changes. */
  disablePushState: boolean;
}

declare global {
  interface Window {
    fbq?: PixelQueue;
    _fbq?: PixelQueue;
  }
}

/** Puts the queue into the page, in the shape that the pixel's script expects. */
function installPixelQueue(): PixelQueue {
  const call = (...args: PixelCall): void => {
    if (pixel.callMethod) pixel.callMethod(...args);
    else pixel.queue.push(args);
  };
  const pixel: PixelQueue = Object.assign(call, {
    queue: [],
    loaded: true,
    version: '2.0',
    disablePushState: true,
    push: call,
  });
  window.fbq = pixel;
  window._fbq = pixel;
  return pixel;
}
