/** The shape of a place of the page, and how large its style sheet shows a picture there. */
export interface PlaceShape {
  aspect: number;
  /**
   * In CSS pixels: the least width that looks sharp on a standard-density screen when the place is widest.
   */
  leastWidth: number;
  /** In pixels: the widths that are made, for phones up to high-density screens, the widest last. */
  widths: readonly number[];
  /** The HTML attribute `sizes`, by which a browser chooses a width; it has to match the CSS of the place. */
  sizes: string;
}

/** The inner width of a section on a phone, its edges left out: see `--space-edge`. */
const PHONE = '(100vw - 2.5rem)';

/** The places for pictures on the page. A photograph has the shape of the drawing that it replaces. */
export const places = {
  hero: {
    aspect: 524 / 622,
    leastWidth: 544,
    widths: [360, 544, 720, 1088],
    sizes: `(min-width: 64rem) clamp(24rem, 60vh, 34rem), (min-width: 48rem) 36vw, min(${PHONE}, 14rem)`,
  },
  transform: {
    aspect: 240 / 180,
    leastWidth: 320,
    widths: [320, 640],
    sizes: '(min-width: 56rem) min(27vw, 20rem), (min-width: 40rem) 15rem, 25vw',
  },
  benefits: {
    aspect: 440 / 400,
    leastWidth: 448,
    widths: [448, 896],
    sizes: `(min-width: 60rem) min(38vw, 28rem), (min-width: 40rem) 34vw, (min-width: 24rem) 9rem, 11.5rem`,
  },
  author: {
    aspect: 152 / 196,
    leastWidth: 360,
    widths: [360, 720],
    sizes: '(min-width: 44rem) min(29vw, 22.5rem), (min-width: 20rem) 6.5rem, 19rem',
  },
  /** An endorsement's, cut to a circle or not. */
  portrait: {
    aspect: 1,
    leastWidth: 112,
    widths: [112, 264],
    sizes: '(min-width: 44rem) 7rem, 4.5rem',
  },
  approach: {
    aspect: 640 / 760,
    leastWidth: 488,
    widths: [360, 488, 720, 976],
    sizes: `(min-width: 60rem) min(41vw, 30.5rem), min(0.68 * ${PHONE}, 30rem)`,
  },
  closing: {
    aspect: 560 / 630,
    leastWidth: 504,
    widths: [360, 504, 720, 1008],
    sizes: `(min-width: 60rem) min(42vw, 31.5rem), min(0.65 * ${PHONE}, 26rem)`,
  },
  /** The poster of a film that this site hosts: `<video>` takes one file. */
  still: { aspect: 16 / 9, leastWidth: 520, widths: [720], sizes: '' },
  /** The poster of a film that another host serves. */
  poster: {
    aspect: 16 / 9,
    leastWidth: 520,
    widths: [360, 720, 1040],
    sizes: `(min-width: 44rem) min(43vw, 32.5rem), calc(0.82 * ${PHONE})`,
  },
} as const satisfies Record<string, PlaceShape>;

export type Place = keyof typeof places;
