/** Pictures drawn for this site. The data names them; `client/ui/art.tsx` draws them. */
export type DrawingName = 'at-ease' | 'doorway' | 'night-door' | 'threshold' | 'shared-table' | 'open-sky';
/** Drawings that are files of their own, shown by `client/ui/illustration.tsx`. */
export type IllustrationName = 'mindful-journey';
export type IconName = 'bowl' | 'new-moon' | 'heart-leaf' | 'circle' | 'lantern';
export type PortraitName = 'author' | 'memoirist' | 'television-host' | 'meditation-teacher';

/** The typographic character of a word-mark; `client/ui/word-mark.css` sets it. */
export type WordMarkName =
  | 'broadcast'
  | 'didone'
  | 'italic'
  | 'masthead'
  | 'monospace'
  | 'poster'
  | 'ruled'
  | 'slab'
  | 'small-caps'
  | 'spaced';

/** What may be a stand-in. Marked as one, it keeps the site from starting with keys that charge real cards. */
export interface Sampled {
  sample?: true;
}

export interface TransformStep {
  img: DrawingName;
  title: string;
  text: string;
}

export interface Benefit {
  icon: IconName;
  title: string;
  text: string;
}

export interface ScheduleEntry {
  time: string;
  note: string;
}

export interface Testimonial extends Sampled {
  quote: string;
  author: string;
  /** Out of five; five unless told. */
  stars?: number;
}

export interface VideoTestimonial extends Sampled {
  /** A file of this site (`/media/…`), played inline, or a video host's embed address, played in a frame. */
  src: string;
  label: string;
  poster: string;
  /** For a file of this site; a video host's player has its own. */
  captions?: readonly CaptionTrack[];
}

/** What is said and heard in a film, in one language. */
export interface CaptionTrack {
  /** A WebVTT file of this site (`/media/….vtt`). */
  src: string;
  /** Such as `en`. */
  language: string;
  /** The language's name in itself, for the player's menu. */
  label: string;
}

export interface Endorsement extends Sampled {
  img: PortraitName;
  alt: string;
  quote: string;
  name: string;
  /** Whether the portrait is cut to a circle. */
  circle: boolean;
}

export interface FaqItem {
  question: string;
  /** HTML, sanitised in the build before it is shown. */
  answer: string;
}

export interface MediaOutlet extends Sampled {
  name: string;
  logo: WordMarkName;
}
