import { dropQuery } from '#client/store/letter-link.ts';

const PIXEL_SCRIPT = 'https://connect.facebook.net/en_US/fbevents.js';

/** The measurement pixel. It reports nothing without consent. */
export interface Pixel {
  /** Loads it at the first yes, and counts the view of the page. */
  grant(): void;
  revoke(): void;
  /** A standard event; `eventId` names it wherever else it is reported from. */
  track(name: string, data?: object, eventId?: string): void;
  trackCustom(name: string, data?: object): void;
}

interface PixelSettings {
  id: string;
  /** Another script, or null for the pixel's own. */
  scriptUrl: string | null;
}

/** The pixel, of which nothing is loaded yet. It is never given a name, an e-mail address or a phone number. */
export function createPixel({ id, scriptUrl }: PixelSettings): Pixel {
  let granted = false;
  /** What is to be told at the next yes. */
  let held: PixelCall[] = [
    // Off: reading the page, its buttons and its fields on its own account.
    ['set', 'autoConfig', false, id],
    ['init', id],
    ['track', 'PageView'],
  ];
  return {
    grant() {
      granted = true;
      // The pixel reports the page's address, whose query may say more than that.
      dropQuery();
      const pixel = window.fbq ?? installPixelQueue();
      pixel('consent', 'grant');
      for (const call of held.splice(0)) pixel(...call);
      loadScript(scriptUrl ?? PIXEL_SCRIPT);
    },
    revoke() {
      granted = false;
      const pixel = window.fbq;
      // The script is still on its way: what waits for it is not to go out.
      if (pixel && !pixel.callMethod) held = pixel.queue.splice(0);
      pixel?.('consent', 'revoke');
      forgetPixelCookies();
    },
    track(name, data = {}, eventId) {
      if (!granted) return;
      if (eventId === undefined) window.fbq?.('track', name, data);
      else window.fbq?.('track', name, data, { eventID: eventId });
    },
    trackCustom(name, data = {}) {
      if (granted) window.fbq?.('trackCustom', name, data);
    },
  };
}

const SCRIPT_ID = 'measurement-pixel';

/** Once, unless it does not come. */
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

/** Deletes the pixel's cookies on this site. Which part of the host's name it set them for is not told. */
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

/** What the pixel's script understands, of what is used here. */
type PixelCall =
  | ['consent', 'grant' | 'revoke']
  | ['set', 'autoConfig', boolean, string]
  | ['init', string]
  | ['track', string, object?, { eventID: string }?]
  | ['trackCustom', string, object?];

/** The function that the pixel's script finds in the page, takes over, and reads what was called before it came. */
interface PixelQueue {
  (...call: PixelCall): void;
  callMethod?: (...call: PixelCall) => void;
  queue: PixelCall[];
  push: (...call: PixelCall) => void;
  loaded: boolean;
  version: string;
  /** Keeps it from counting a view whenever the address changes. */
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
