/** Pictures drawn for this site in the colours of the theme. `client/ui/picture.tsx` shows them. */
export const drawings = [
  'at-ease',
  'doorway',
  'night-door',
  'threshold',
  'shared-table',
  'open-sky',
  'author',
  'memoirist',
  'television-host',
  'meditation-teacher',
] as const;
export type DrawingName = (typeof drawings)[number];

/** Drawings that are files of their own. */
export const illustrations = ['mindful-journey'] as const;
export type IllustrationName = (typeof illustrations)[number];

export const icons = ['bowl', 'new-moon', 'heart-leaf', 'circle', 'lantern'] as const;
export type IconName = (typeof icons)[number];

/** The typographic styles of a word mark, defined in `client/ui/word-mark.css`. */
export const wordMarks = [
  'broadcast',
  'didone',
  'italic',
  'masthead',
  'monospace',
  'poster',
  'ruled',
  'slab',
  'small-caps',
  'spaced',
] as const;
export type WordMarkName = (typeof wordMarks)[number];

/** A picture from the edition's `media/`, prepared by the build for one place on the page. */
export interface ImageFile {
  /** The fallback file, which every browser can show. */
  src: string;
  /** In CSS pixels, of `src`. */
  width: number;
  height: number;
  /** A photograph in several widths, as HTML's `srcset` and `sizes`. */
  widths?: { avif: string; webp: string; sizes: string };
  /** The colour shown until the picture has loaded: three hexadecimal digits, used in the class `tone-…`. */
  tone?: string;
}

/** A logo from the edition's `media/`, black on transparent, scaled so that all logos look equally heavy. */
export interface LogoFile {
  src: string;
  /** In CSS pixels, at the default text size. */
  width: number;
  height: number;
  /** The width in quarters of an em, used in the class `logo-…`. */
  quarters: number;
}

/** A drawing of this site, or a file. */
export type Picture = DrawingName | IllustrationName | ImageFile;

/** Content that may be a placeholder. While any is, the site refuses keys that charge real cards. */
export interface Sampled {
  sample?: true;
}

/** A picture and what it shows; without `alt` it is decorative. */
export interface Pictured {
  img: Picture;
  alt?: string;
}

/** The words and pictures of the landing page, by section. */
export interface Page {
  search: SearchPreview;
  hero: Pictured & { headline: string; lede: string; benefits: readonly string[]; voice?: Voice };
  partners: { title: string; items: readonly MediaOutlet[] };
  transform: { title: string; intro: string; steps: readonly TransformStep[] };
  benefits: Pictured & { title: string; intro: string; items: readonly Benefit[] };
  sessions: { title: string; intro: string; items: readonly SessionItem[] };
  schedule: { title: string; intro: string };
  practicalFacts: PracticalFacts;
  testimonials: { title: string; items: readonly Testimonial[]; videosTitle: string };
  author: Author;
  endorsements: { title: string; items: readonly Endorsement[] };
  approach: Approach;
  faq: { title: string; aside: { text: string; link: string }; items: readonly FaqItem[] };
  media: { title: string; rows: readonly (readonly MediaOutlet[])[] };
  closing: Closing;
}

/** One earlier participant, in the first view. */
export interface Voice extends Sampled {
  quote: string;
  author: string;
}

/** What search engines and link previews show. */
export interface SearchPreview {
  title: string;
  description: string;
  /** The picture of link previews. */
  card: { src: string; width: number; height: number; alt: string };
}

export interface TransformStep extends Pictured {
  title: string;
  text: string;
}

export interface Benefit {
  icon: IconName;
  title: string;
  text: string;
}

export interface SessionItem {
  title: string;
  text: string;
  /** What the item consists of, where it has parts. */
  parts?: readonly string[];
}

export interface PracticalFacts {
  title: string;
  facts: readonly PracticalFact[];
  /** What it costs; shown while registration is open. */
  tuition: PracticalFact;
}

export interface PracticalFact {
  title: string;
  text: string;
}

export interface Approach extends Pictured {
  eyebrow: string;
  title: string;
  paragraphs: readonly string[];
  outcomesTitle: string;
  outcomes: readonly string[];
}

export interface Author extends Sampled, Pictured {
  name: string;
  eyebrow: string;
  title: string;
  salutation: string;
  letter: readonly string[];
  closing: string;
  role: string;
  biographyTitle: string;
  biography: readonly string[];
  booksTitle: string;
  /** If empty, the page does not mention books. */
  books: readonly Book[];
  /** Links to more about her. */
  links: readonly { label: string; href: string }[];
}

export interface Book {
  title: string;
  /** What it is about, in a few words. */
  about: string;
  year: number;
}

export interface Endorsement extends Sampled, Pictured {
  quote: string;
  name: string;
  /** Whether the portrait is cut to a circle. */
  circle: boolean;
}

export interface Testimonial extends Sampled, Partial<Pictured> {
  quote: string;
  author: string;
  /** Out of five; five by default. */
  stars?: number;
}

export interface VideoTestimonial extends Sampled {
  /** A file of this site, played inline, or a video host's embed address, played in a frame. */
  src: string;
  label: string;
  poster: ImageFile;
  /** For a file of this site; a video host's player has its own. */
  captions?: readonly CaptionTrack[];
}

/** Captions of a video in one language. */
export interface CaptionTrack {
  /** A WebVTT file of this site. */
  src: string;
  /** Such as `en`. */
  language: string;
  /** The language's own name, for the player's menu. */
  label: string;
}

export interface FaqItem {
  question: string;
  /** HTML, sanitised in the build. */
  answer: string;
}

export interface MediaOutlet extends Sampled {
  /** A no-break space keeps words together where the word mark breaks into lines. */
  name: string;
  logo: WordMarkName | LogoFile;
}

/** The last call to action. */
export interface Closing extends Pictured {
  title: string;
  stars: number;
  community: string;
  prompt: string;
  closedPrompt: string;
  tuitionLabel: string;
  oldTuitionLabel: string;
  savingNote: string;
}
