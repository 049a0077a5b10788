/** What the pixel's script understands, of what is used here. */
export type PixelCall =
  | ['consent', 'grant' | 'revoke']
  | ['set', 'autoConfig', boolean, string]
  | ['init', string]
  | ['track', string, object?, { eventID: string }?]
  | ['trackCustom', string, object?];

/** The function that the pixel's script finds in the page, takes over, and reads what was called before it came. */
export interface PixelQueue {
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
export function installPixelQueue(): PixelQueue {
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
