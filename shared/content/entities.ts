/**
 * Pictures drawn for this site in the colours of the theme, as part of the page that shows them. `client/ui/picture.tsx`
 * shows them.
 */
export const drawings = ['doorway', 'threshold', 'closed-door'] as const;
export type DrawingName = (typeof drawings)[number];

/** Drawings below the first view: files of their own, loaded when a visitor comes near them. */
export const illustrations = [
  'at-ease',
  'mindful-journey',
  'night-door',
  'threshold',
  'closed-door',
  'shared-table',
  'open-sky',
  'author',
  'refrigerator-light',
  'own-table',
  'memoirist',
  'television-host',
  'meditation-teacher',
] as const;
export type IllustrationName = (typeof illustrations)[number];

export const icons = ['bowl', 'new-moon', 'heart-leaf', 'circle', 'lantern'] as const;
export type IconName = (typeof icons)[number];

/** The typographic styles of a word mark, defined in `client/ui/picture.css`. */
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

type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** The words and pictures of the landing page, by section. */
export interface Page {
  /** What search engines and link previews show; `card` is the picture of link previews. */
  search: Texts<'title' | 'description'> & { card: Texts<'src' | 'alt'> & { width: number; height: number } };
  hero: Pictured &
    Texts<'headline' | 'lede'> & {
      benefits: readonly string[];
      /** One earlier participant, in the first view. */
      voice?: Sampled & Texts<'quote' | 'author'>;
    };
  partners: { title: string; items: readonly MediaOutlet[] };
  transform: Texts<'title' | 'intro'> & { steps: readonly (Pictured & Texts<'title' | 'text'>)[] };
  benefits: Pictured &
    Texts<'title' | 'intro'> & { items: readonly (Texts<'title' | 'text'> & { icon: IconName })[] };
  sessions: Texts<'title' | 'intro'> & { items: readonly SessionItem[] };
  schedule: Texts<'title' | 'intro'>;
  practicalFacts: PracticalFacts;
  testimonials: Texts<'title' | 'videosTitle'> & { items: readonly Testimonial[] };
  author: Sampled &
    Pictured &
    Texts<
      'name' | 'eyebrow' | 'title' | 'salutation' | 'closing' | 'role' | 'biographyTitle' | 'booksTitle'
    > & {
      /** Her picture once more, for a small circle. */
      face: Picture;
      letter: readonly string[];
      biography: readonly string[];
      /** What each is about, in a few words. If empty, the page does not mention books. */
      books: readonly (Texts<'title' | 'about'> & { cover?: Picture; year: number })[];
      /** Links to more about her. */
      links: readonly Texts<'label' | 'href'>[];
    };
  /** `circle`: whether the portrait is cut to a circle. */
  endorsements: {
    title: string;
    items: readonly (Sampled & Pictured & Texts<'quote' | 'name'> & { circle: boolean })[];
  };
  approach: Pictured &
    Texts<'eyebrow' | 'title' | 'outcomesTitle'> & {
      paragraphs: readonly string[];
      outcomes: readonly string[];
    };
  faq: { title: string; aside: Texts<'text' | 'link'>; items: readonly FaqItem[] };
  media: { title: string; rows: readonly (readonly MediaOutlet[])[] };
  /** The last call to action. */
  closing: Pictured & { stars: number } & Texts<
      | ('title' | 'community' | 'prompt' | 'closedPrompt')
      | ('tuitionLabel' | 'oldTuitionLabel' | 'savingNote')
    >;
}

export interface SessionItem extends Texts<'title' | 'text'> {
  /** What the item consists of, where it has parts. */
  parts?: readonly string[];
}

export interface PracticalFacts {
  title: string;
  facts: readonly Texts<'title' | 'text'>[];
  /** What it costs; shown while registration is open. */
  tuition: Texts<'title' | 'text'>;
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
  /**
   * WebVTT files of this site, with the code and the own name of their language; a video host's player has its own.
   */
  captions?: readonly Texts<'src' | 'language' | 'label'>[];
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
