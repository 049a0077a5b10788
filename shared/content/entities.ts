import * as v from 'valibot';

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
const wordMarks = [
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

// The page's words and pictures: what an edition's files hold, and what the page gets of it. A message completes "write …".

export interface PictureFile {
  file: string;
  width: number;
  height: number | undefined;
}

export const isPictureFile = (value: object): value is PictureFile => 'file' in value;

export interface ImageFile {
  src: string;
  /** In CSS pixels. */
  width: number;
  height: number;
  /** A photograph in two widths, as HTML's `srcset`, by the format; `last` is for browsers that know no other. */
  sets?: Readonly<Record<'avif' | 'webp' | 'last', string>>;
}

/** What the page gets: instead of each picture the files that the site publishes. */
export type Published<Value> = Value extends PictureFile
  ? ImageFile
  : Value extends object
    ? { [Name in keyof Value]: Published<Value[Name]> }
    : Value;

export const maybe = v.exactOptional;
export const text = v.pipe(v.string(), v.trim(), v.nonEmpty());
export const some = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.nonEmpty());
export const count = v.pipe(v.number(), v.integer<number, string>('a whole number'), v.minValue(0));
export const spelled = (pattern: RegExp, wanted: string) => v.pipe(v.string(), v.regex(pattern, wanted));
export const words = <const Names extends readonly string[]>(...names: Names) =>
  v.entriesFromList(names, text);

const webAddress = spelled(/^https?:\/\/[^\s/]+\.\S+$/, 'an address that begins with https://');
const fileOf = (...endings: string[]) =>
  spelled(
    new RegExp(`^[\\w-][\\w.-]*\\.(?:${endings.join('|')})$`, 'i'),
    `the name of a file in media/, without spaces, that ends in ${endings.join(', ')}`,
  );
const pictureOf = (width: number, height?: number) =>
  v.pipe(
    fileOf('jpg', 'jpeg', 'png', 'svg', 'webp', 'avif'),
    v.transform((file): PictureFile => ({ file, width, height })),
  );
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
const drawnOr = (width: number, height: number) =>
  v.union([v.picklist([...drawings, ...illustrations]), pictureOf(width, height)]);
/** A picture of this size. A file needs `alt`; it is cut around `focus`, in percent from the left and from the top. */
const pictured = (width: number, height: number) => ({
  img: drawnOr(width, height),
  alt: maybe(text),
  focus: maybe(v.tuple([percent, percent])),
});
/** Content that may be a placeholder. While any is, the site refuses keys that charge real cards. */
const sample = { sample: maybe(v.literal(true)) };
const stars = v.pipe(count, v.maxValue(5));

const practicalFacts = v.strictObject({
  title: text,
  facts: some(v.strictObject(words('title', 'text'))),
  tuition: v.strictObject(words('title', 'text')),
});
const sessionItem = v.strictObject({ ...words('title', 'text'), parts: maybe(some(text)) });

export const pageSchema = v.strictObject({
  hero: v.strictObject({
    ...words('headline', 'lede'),
    benefits: some(text),
    voice: maybe(v.strictObject({ ...words('quote', 'author'), ...sample })),
    ...pictured(544, 646),
  }),
  transform: v.strictObject({
    ...words('title', 'intro'),
    steps: some(v.strictObject({ ...pictured(320, 240), ...words('title', 'text') })),
  }),
  benefits: v.strictObject({
    ...words('title', 'intro'),
    ...pictured(448, 407),
    items: some(v.strictObject({ icon: v.picklist(icons), ...words('title', 'text') })),
  }),
  sessions: v.strictObject({ ...words('title', 'intro'), items: some(sessionItem) }),
  schedule: v.strictObject(words('title', 'intro')),
  practicalFacts,
  approach: v.strictObject({
    ...words('eyebrow', 'title', 'outcomesTitle'),
    paragraphs: some(text),
    outcomes: some(text),
    ...pictured(488, 580),
  }),
  closing: v.strictObject({
    ...words('title', 'community', 'prompt', 'closedPrompt', 'tuitionLabel', 'oldTuitionLabel', 'savingNote'),
    stars,
    ...pictured(504, 567),
  }),
});

const { img, ...described } = pictured(112, 112);
const testimonial = v.strictObject({
  img: maybe(img),
  ...described,
  ...words('quote', 'author'),
  /** Out of five; five by default. */
  stars: maybe(stars),
  ...sample,
});
const video = v.strictObject({
  src: v.union([fileOf('mp4'), webAddress]),
  label: text,
  poster: pictureOf(520, 293),
  captions: maybe(
    v.array(
      v.strictObject({
        src: fileOf('vtt'),
        language: spelled(/^[a-z]{2,3}(?:-[A-Za-z0-9]+)*$/, 'the code of a language, such as en'),
        label: text,
      }),
    ),
  ),
  ...sample,
});

export const peopleSchema = v.strictObject({
  author: v.strictObject({
    ...words('name', 'eyebrow', 'title', 'salutation', 'closing', 'role', 'biographyTitle', 'booksTitle'),
    ...pictured(360, 464),
    letter: some(text),
    biography: some(text),
    /** What each is about, in a few words. If empty, the page does not mention books. */
    books: v.array(
      v.strictObject({ cover: maybe(drawnOr(144, 202)), ...words('title', 'about'), year: count }),
    ),
    links: v.array(v.strictObject({ label: text, href: webAddress })),
    ...sample,
  }),
  endorsements: v.strictObject({
    title: text,
    /** `circle`: whether the portrait is cut to a circle. */
    items: v.array(
      v.strictObject({ img, ...described, ...words('quote', 'name'), circle: v.boolean(), ...sample }),
    ),
  }),
  testimonials: v.strictObject({ title: text, items: some(testimonial) }),
  videos: v.strictObject({ title: text, items: v.array(video) }),
});

/** A no-break space in its name keeps words together where the word mark breaks into lines. */
const outlet = v.strictObject({
  name: text,
  logo: v.union([v.picklist(wordMarks), pictureOf(128)]),
  ...sample,
});

export const outletsSchema = v.strictObject({
  partners: v.strictObject({ title: text, items: v.array(outlet) }),
  media: v.strictObject({ title: text, rows: v.array(some(outlet)) }),
});

/** `faq.yaml`: the answers are in Markdown, and on the page in sanitised HTML. */
export const faqSchema = v.strictObject({
  title: text,
  aside: v.strictObject(words('text', 'link')),
  items: some(v.strictObject(words('question', 'answer'))),
});

/** What search engines and link previews show; `card` is the picture of link previews. */
export const searchSchema = v.strictObject({
  ...words('title', 'description'),
  card: v.strictObject({ img: pictureOf(1200, 630), alt: text }),
});

type Of<Schema extends v.GenericSchema> = Published<v.InferOutput<Schema>>;

export type Page = { search: Of<typeof searchSchema>; faq: Of<typeof faqSchema> } & Of<typeof pageSchema> &
  Of<typeof peopleSchema> &
  Of<typeof outletsSchema>;
export type Picture = Of<typeof img>;
export interface Pictured {
  img: Picture;
  alt?: string;
}
export type SessionItem = Of<typeof sessionItem>;
export type PracticalFacts = Of<typeof practicalFacts>;
export type Testimonial = Of<typeof testimonial>;
export type VideoTestimonial = Of<typeof video>;
export type FaqItem = Page['faq']['items'][number];
export type MediaOutlet = Of<typeof outlet>;
