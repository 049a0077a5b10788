import * as v from 'valibot';
import { drawings, icons, illustrations, wordMarks } from '#shared/content/entities.ts';
import { isCalendarDay } from '#shared/dates.ts';

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());
const texts = v.pipe(v.array(text), v.nonEmpty());
const date = v.pipe(v.string(), v.isoDate(), v.check(isCalendarDay, 'a day that its month has'));
const clock = v.pipe(v.string(), v.isoTime());
const localMoment = v.pipe(v.string(), v.isoDateTime(), v.check(isCalendarDay, 'a day that its month has'));
const toHundredths = v.check(
  (amount: number) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6,
  'a number with two decimals at most',
);
const dollars = v.pipe(v.number(), v.minValue(0), toHundredths);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const days = v.pipe(count, v.minValue(1));
const sample = { sample: v.exactOptional(v.literal(true)) };

/** The name of a file in `media/`. */
const fileOf = (...endings: string[]) =>
  v.pipe(
    v.string(),
    v.regex(
      new RegExp(`^[\\w-][\\w.-]*\\.(?:${endings.join('|')})$`, 'i'),
      `the name of a file in media/, without spaces, that ends in ${endings.join(', ')}`,
    ),
  );

/** The files from which the build can make pictures. */
export const pictureFile = fileOf('jpg', 'jpeg', 'png', 'svg', 'webp', 'avif');

/** Any file of `media/`. */
export const mediaFile = v.union([pictureFile, fileOf('mp4', 'vtt')]);

const picture = v.union([v.picklist([...drawings, ...illustrations]), pictureFile]);
const pictured = {
  img: picture,
  alt: v.exactOptional(text),
  /**
   * Where the eye should rest, in percent from the left and from the top: the picture is cropped around this
   * point.
   */
  focus: v.exactOptional(v.tuple([percent(), percent()])),
};
/** A picture that may be left out. */
const maybePictured = { ...pictured, img: v.exactOptional(picture) };
const outlet = v.strictObject({ name: text, logo: v.union([v.picklist(wordMarks), pictureFile]), ...sample });

function percent() {
  return v.pipe(v.number(), v.minValue(0), v.maxValue(100));
}

/** `edition.yaml`: what is sold, when it takes place and what it costs. */
export const editionSchema = v.strictObject({
  siteName: text,
  /** For a home screen, where the whole name has no room. */
  shortName: v.exactOptional(text),
  title: text,
  subtitle: text,
  timeZone: v.strictObject({ id: text, name: text, label: text }),
  dates: v.strictObject({ first: date, last: date }),
  registration: v.strictObject({ opens: v.exactOptional(localMoment), closes: localMoment }),
  package: v.strictObject({
    id: v.pipe(v.string(), v.regex(/^[a-z0-9_]+$/, 'small letters, digits and _ only, such as june_retreat')),
    title: text,
    description: text,
    selection: text,
    features: texts,
    asteriskNote: v.exactOptional(text),
  }),
  price: v.strictObject({
    tuition: dollars,
    regularTuition: dollars,
    depositBeforeFee: dollars,
    cardFee: v.pipe(percent(), toHundredths),
    deposit: v.pipe(dollars, v.integer()),
    balanceDue: date,
  }),
  balance: v.strictObject({
    noticeDays: days,
    reminderDays: days,
    chargedAt: clock,
    lateDays: days,
    feeRefundable: v.boolean(),
  }),
  /** The number of places; without it, there is no limit. */
  places: v.exactOptional(v.pipe(count, v.minValue(1))),
  /** The time on the clock of a site that is tried out when it starts. */
  tryOutFrom: localMoment,
  wayIn: v.strictObject({
    testSession: v.strictObject({
      date,
      time: clock,
      minutes: v.pipe(count, v.minValue(1)),
      title: text,
    }),
    testLinkSent: date,
    linkSent: date,
    /**
     * The time at which the letters with the way in are sent: on these two dates, and on each day of the
     * retreat.
     */
    sentAt: clock,
  }),
  /**
   * How many days after the retreat's last day the recordings are announced; without this field they are not
   * announced. The links to registrants' pages, which lead to the recordings, expire 30 days after the
   * retreat.
   */
  recordings: v.exactOptional(
    v.strictObject({
      daysAfter: v.pipe(
        days,
        v.maxValue(29, '29 at most, since the pages that lead there close a day later'),
      ),
      sentAt: clock,
    }),
  ),
  calendar: v.strictObject({
    fileName: v.pipe(v.string(), v.regex(/^[\w-]+\.ics$/, 'a file name such as the-retreat.ics')),
    revision: count,
    revisedAt: v.pipe(v.string(), v.isoTimestamp()),
    note: text,
  }),
  search: v.strictObject({ title: text, description: text, card: text }),
});

const sessionEntry = v.strictObject({
  time: clock,
  minutes: v.pipe(count, v.minValue(1)),
  name: v.pipe(v.string(), v.regex(/^[a-z0-9-]+$/, 'small letters, digits and - only, such as evening-meal')),
  title: text,
  /** How the session is recorded; without this field it is not recorded, like small groups. */
  recorded: v.exactOptional(v.picklist(['audio', 'video'])),
});
const breakEntry = v.strictObject({ time: text, title: text });

/** A session has a length and a name; what has neither is a break. */
const scheduleEntry = v.lazy((entry): typeof sessionEntry | typeof breakEntry =>
  v.is(v.union([v.looseObject({ minutes: v.unknown() }), v.looseObject({ name: v.unknown() })]), entry)
    ? sessionEntry
    : breakEntry,
);

/** `schedule.yaml`: the sessions, day by day. */
export const scheduleSchema = v.strictObject({
  days: v.pipe(
    v.array(
      v.strictObject({
        date,
        caveat: v.exactOptional(text),
        entries: v.pipe(v.array(scheduleEntry), v.nonEmpty()),
      }),
    ),
    v.nonEmpty(),
  ),
});

/** `page.yaml`: the words of the page. */
export const pageSchema = v.strictObject({
  hero: v.strictObject({
    headline: text,
    lede: text,
    benefits: texts,
    voice: v.exactOptional(v.strictObject({ quote: text, author: text, ...sample })),
    ...pictured,
  }),
  transform: v.strictObject({
    title: text,
    intro: text,
    steps: v.pipe(v.array(v.strictObject({ ...pictured, title: text, text })), v.nonEmpty()),
  }),
  benefits: v.strictObject({
    title: text,
    intro: text,
    ...pictured,
    items: v.pipe(v.array(v.strictObject({ icon: v.picklist(icons), title: text, text })), v.nonEmpty()),
  }),
  sessions: v.strictObject({
    title: text,
    intro: text,
    items: v.pipe(
      v.array(v.strictObject({ title: text, text, parts: v.exactOptional(texts) })),
      v.nonEmpty(),
    ),
  }),
  schedule: v.strictObject({ title: text, intro: text }),
  practicalFacts: v.strictObject({
    title: text,
    facts: v.pipe(v.array(v.strictObject({ title: text, text })), v.nonEmpty()),
    tuition: v.strictObject({ title: text, text }),
  }),
  approach: v.strictObject({
    eyebrow: text,
    title: text,
    paragraphs: texts,
    outcomesTitle: text,
    outcomes: texts,
    ...pictured,
  }),
  closing: v.strictObject({
    title: text,
    stars: v.pipe(count, v.maxValue(5)),
    community: text,
    prompt: text,
    closedPrompt: text,
    tuitionLabel: text,
    oldTuitionLabel: text,
    savingNote: text,
    ...pictured,
  }),
});

/** `people.yaml`: the author, people who endorse her, and earlier participants. */
export const peopleSchema = v.strictObject({
  author: v.strictObject({
    ...sample,
    name: text,
    eyebrow: text,
    title: text,
    ...pictured,
    salutation: text,
    letter: texts,
    closing: text,
    role: text,
    biographyTitle: text,
    biography: texts,
    booksTitle: text,
    books: v.array(v.strictObject({ title: text, about: text, year: count })),
    links: v.array(v.strictObject({ label: text, href: v.pipe(v.string(), v.url()) })),
  }),
  endorsements: v.strictObject({
    title: text,
    items: v.array(v.strictObject({ ...pictured, quote: text, name: text, circle: v.boolean(), ...sample })),
  }),
  testimonials: v.strictObject({
    title: text,
    items: v.pipe(
      v.array(
        v.strictObject({
          ...maybePictured,
          quote: text,
          author: text,
          stars: v.exactOptional(v.pipe(count, v.minValue(1), v.maxValue(5))),
          ...sample,
        }),
      ),
      v.nonEmpty(),
    ),
  }),
  videos: v.strictObject({
    title: text,
    items: v.array(
      v.strictObject({
        src: v.union([fileOf('mp4'), v.pipe(v.string(), v.url())]),
        label: text,
        poster: pictureFile,
        captions: v.exactOptional(
          v.array(
            v.strictObject({
              src: fileOf('vtt'),
              language: v.pipe(
                v.string(),
                v.regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]+)*$/, 'the code of a language, such as en'),
              ),
              label: text,
            }),
          ),
        ),
        ...sample,
      }),
    ),
  }),
});

/** `outlets.yaml`: partners, and where the author was heard and seen. */
export const outletsSchema = v.strictObject({
  partners: v.strictObject({ title: text, items: v.array(outlet) }),
  media: v.strictObject({ title: text, rows: v.array(v.pipe(v.array(outlet), v.nonEmpty())) }),
});

/** `faq.yaml`: questions, with answers in HTML. */
export const faqSchema = v.strictObject({
  title: text,
  aside: v.strictObject({ text, link: text }),
  items: v.pipe(v.array(v.strictObject({ question: text, answer: text })), v.nonEmpty()),
});

/** `terms.yaml`: what a registrant agrees to. */
export const termsSchema = v.strictObject({
  version: v.pipe(v.string(), v.regex(/^[\w.-]+$/, 'letters, digits, dots and hyphens only, such as 2')),
  policies: v.pipe(v.array(v.strictObject({ title: text, paragraphs: texts })), v.nonEmpty()),
});

/** `record.yaml`, which programs write: what was published under which version, and what the social card shows. */
export const recordSchema = v.strictObject({
  /** Digests of the terms, by their version. */
  terms: v.record(v.string(), v.string()),
  /** A digest of what `npm run social-card` drew last. */
  socialCard: v.exactOptional(text),
});

/** `editions/on-sale.yaml`: which edition the site sells. */
export const onSaleSchema = v.strictObject({
  edition: v.pipe(v.string(), v.regex(/^[a-z0-9-]+$/, 'the name of a folder beside it, such as march-2027')),
});

const hexColor = v.pipe(
  v.string(),
  v.regex(/^#[0-9a-f]{6}$/, 'a colour such as "#33202e", in quotes and small letters'),
);
const color = v.strictObject({ light: hexColor, dark: hexColor });

/** `theme.yaml`: the palette, for light and dark. */
export const themeSchema = v.strictObject({
  /** The ground of the deep sections, in both schemes. */
  deep: hexColor,
  colors: v.strictObject({
    paper: color,
    sand: color,
    mist: color,
    ink: color,
    'ink-soft': color,
    accent: color,
    'accent-text': color,
    'on-accent': color,
    'accent-strong': color,
    sage: color,
    rule: color,
    error: color,
  }),
  art: v.strictObject({
    sky: color,
    halo: color,
    glow: color,
    sun: color,
    light: color,
    moon: color,
    path: color,
    wall: color,
    wood: color,
    far: color,
    mid: color,
    near: color,
    deep: color,
    hair: color,
    accent: color,
  }),
});

/** An edition as its author wrote it: each file by its name without `.yaml`. */
export const writtenSchema = v.strictObject({
  edition: editionSchema,
  schedule: scheduleSchema,
  page: pageSchema,
  people: peopleSchema,
  outlets: outletsSchema,
  faq: faqSchema,
  terms: termsSchema,
  theme: themeSchema,
  record: v.optional(recordSchema, { terms: {} }),
});
export type Written = v.InferOutput<typeof writtenSchema>;
