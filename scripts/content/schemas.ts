import * as v from 'valibot';
import { drawings, icons, illustrations, wordMarks } from '#shared/content/entities.ts';
import { sitePageNames } from '#shared/content/site-pages.ts';
import { isCalendarDay } from '#shared/dates.ts';

// The messages complete "write …"; the others are in `explainIssue` of read-edition.ts.
const some = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.nonEmpty());
/** A text of a pattern, which `wanted` says in words. */
export const spelled = (pattern: RegExp, wanted: string) => v.pipe(v.string(), v.regex(pattern, wanted));
const inMonth = v.check(isCalendarDay, 'a day that its month has');
const toHundredths = v.check(
  (amount: number) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6,
  'a number with two decimals at most',
);

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());
const texts = some(text);
const date = v.pipe(v.string(), v.isoDate('a date such as 2027-03-08'), inMonth);
const clock = v.pipe(
  v.string(),
  v.isoTime('a time of the 24-hour clock, two digits each, such as 08:30 or 17:30 (5:30 pm)'),
);
const localMoment = v.pipe(v.string(), v.isoDateTime('a date and a time such as 2027-03-08T00:00'), inMonth);
const webAddress = v.pipe(v.string(), v.url('an address such as https://author.example/'));
const dollars = v.pipe(v.number(), v.minValue(0), toHundredths);
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
const wholeNumber = v.integer<number, string>('a whole number');
const count = v.pipe(v.number(), wholeNumber, v.minValue(0));
const positive = v.pipe(count, v.minValue(1));
const sample = { sample: v.exactOptional(v.literal(true)) };

const fileOf = (...endings: string[]) =>
  spelled(
    new RegExp(`^[\\w-][\\w.-]*\\.(?:${endings.join('|')})$`, 'i'),
    `the name of a file in media/, without spaces, that ends in ${endings.join(', ')}`,
  );

export const pictureFile = fileOf('jpg', 'jpeg', 'png', 'svg', 'webp', 'avif');

/** Any file of `media/`. */
export const mediaFile = v.union([pictureFile, fileOf('mp4', 'vtt')]);

const picture = v.union([v.picklist([...drawings, ...illustrations]), pictureFile]);
const pictured = {
  img: picture,
  alt: v.exactOptional(text),
  /** Where the eye should rest, in percent from the left and from the top: the picture is cropped around it. */
  focus: v.exactOptional(v.tuple([percent, percent])),
};
const outlet = v.strictObject({ name: text, logo: v.union([v.picklist(wordMarks), pictureFile]), ...sample });
const titled = v.strictObject({ title: text, text });
const policies = some(v.strictObject({ title: text, paragraphs: texts }));

const questionId = spelled(
  /^[a-z][a-z0-9-]{0,39}$/,
  'a name for the answers: small letters, digits and - only, such as name-shown',
);

/** What registrants are asked on their pages once the deposit is paid. */
const questionsSchema = v.strictObject({
  remindAt: localMoment,
  editableUntil: localMoment,
  items: v.pipe(
    v.array(
      v.strictObject({
        id: questionId,
        text,
        note: v.exactOptional(text),
        /** Without them she answers in her own words. */
        choices: v.exactOptional(
          v.pipe(
            v.array(text),
            v.minLength(2, 'two choices at least'),
            v.maxLength(12, 'twelve choices at most'),
          ),
        ),
        required: v.optional(v.boolean(), false),
      }),
    ),
    v.maxLength(6, 'six questions at most'),
  ),
  /** The ids of questions that were asked, and are no more. */
  ended: v.exactOptional(v.array(questionId)),
});

/** `edition.yaml`: what is sold, when it takes place and what it costs. */
const editionSchema = v.strictObject({
  siteName: text,
  /** For a home screen, where the whole name has no room. */
  shortName: v.exactOptional(text),
  title: text,
  subtitle: text,
  timeZone: v.strictObject({ id: text, name: text, label: text }),
  dates: v.strictObject({ first: date, last: date }),
  registration: v.strictObject({ opens: v.exactOptional(localMoment), closes: localMoment }),
  package: v.strictObject({
    id: spelled(/^[a-z0-9_]+$/, 'small letters, digits and _ only, such as june_retreat'),
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
    /** What a card costs more, in percent; without it, as much as a check. */
    cardFee: v.optional(v.pipe(percent, toHundredths), 0),
    deposit: v.pipe(dollars, wholeNumber),
    balanceDue: date,
  }),
  balance: v.strictObject({
    noticeDays: positive,
    reminderDays: positive,
    chargedAt: clock,
    lateDays: positive,
    /** Whether a refund gives the card fee back; absent where none is asked. */
    feeRefundable: v.exactOptional(v.boolean()),
  }),
  /** Without it, there is no limit. */
  places: v.exactOptional(positive),
  holdMinutes: v.optional(v.pipe(positive, v.minValue(10, '10 at least, the time to type in a card')), 30),
  /** The last day on which a place can be handed over to somebody else; without it, none can be. */
  handOverUntil: v.exactOptional(date),
  /** Payment plans that the office offers; without them, it writes each one by hand. */
  plans: v.exactOptional(
    v.strictObject({
      /** Whether the video room is open to who pays by a plan while no part is overdue, or only once all is paid. */
      roomWhilePaying: v.boolean(),
      /** Of each plan, the days on which a part of the balance is charged, at the hour of the balance. */
      offered: some(v.array(date)),
    }),
  ),
  /** The time on the clock of a site that is tried out when it starts. */
  tryOutFrom: localMoment,
  wayIn: v.strictObject({
    testSession: v.strictObject({ date, time: clock, minutes: positive, title: text }),
    testLinkSent: date,
    linkSent: date,
    /** When the letters with the way in are sent: on these two dates, and on each day of the retreat. */
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
        positive,
        v.maxValue(29, '29 at most, since the pages that lead there close a day later'),
      ),
      sentAt: clock,
    }),
  ),
  questions: v.exactOptional(questionsSchema),
  /** Sections that it adds to the pages about the site. */
  notices: v.exactOptional(v.strictObject(v.entriesFromList(sitePageNames, v.exactOptional(policies)))),
  /** How card statements end the name of a charge; without it they show the account's own name alone. */
  statementSuffix: v.exactOptional(
    spelled(
      // https://docs.stripe.com/get-started/account/statement-descriptors: 22 characters, of which 2 are the least prefix,
      // and 2 come between.
      /^(?=.*[A-Z])[A-Z0-9](?:[A-Z0-9 .,&+-]{0,16}[A-Z0-9.])?$/,
      'capitals, digits, spaces and . , & + - only, one capital at least and 18 characters at most, such as MAY RETREAT',
    ),
  ),
  calendar: v.strictObject({
    fileName: spelled(/^[\w-]+\.ics$/, 'a file name such as the-retreat.ics'),
    revision: count,
    revisedAt: v.pipe(v.string(), v.isoTimestamp('a date and a time in UTC such as 2026-10-15T00:00:00Z')),
    note: text,
  }),
  search: v.strictObject({ title: text, description: text, card: text }),
});

const sessionEntry = v.strictObject({
  time: clock,
  minutes: positive,
  name: spelled(/^[a-z0-9-]+$/, 'small letters, digits and - only, such as evening-meal'),
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
const scheduleSchema = v.strictObject({
  days: some(v.strictObject({ date, caveat: v.exactOptional(text), entries: some(scheduleEntry) })),
});

/** `page.yaml`: the words of the page. */
const pageSchema = v.strictObject({
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
    steps: some(v.strictObject({ ...pictured, title: text, text })),
  }),
  benefits: v.strictObject({
    title: text,
    intro: text,
    ...pictured,
    items: some(v.strictObject({ icon: v.picklist(icons), title: text, text })),
  }),
  sessions: v.strictObject({
    title: text,
    intro: text,
    items: some(v.strictObject({ title: text, text, parts: v.exactOptional(texts) })),
  }),
  schedule: v.strictObject({ title: text, intro: text }),
  practicalFacts: v.strictObject({ title: text, facts: some(titled), tuition: titled }),
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

const testimonial = v.strictObject({
  ...pictured,
  img: v.exactOptional(picture),
  quote: text,
  author: text,
  stars: v.exactOptional(v.pipe(positive, v.maxValue(5))),
  ...sample,
});
const captions = v.strictObject({
  src: fileOf('vtt'),
  language: spelled(/^[a-z]{2,3}(?:-[A-Za-z0-9]+)*$/, 'the code of a language, such as en'),
  label: text,
});
const video = v.strictObject({
  src: v.union([fileOf('mp4'), webAddress]),
  label: text,
  poster: pictureFile,
  captions: v.exactOptional(v.array(captions)),
  ...sample,
});

/** `people.yaml`: the author, people who endorse her, and earlier participants. */
const peopleSchema = v.strictObject({
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
    books: v.array(
      v.strictObject({ cover: v.exactOptional(picture), title: text, about: text, year: count }),
    ),
    links: v.array(v.strictObject({ label: text, href: webAddress })),
  }),
  endorsements: v.strictObject({
    title: text,
    items: v.array(v.strictObject({ ...pictured, quote: text, name: text, circle: v.boolean(), ...sample })),
  }),
  testimonials: v.strictObject({ title: text, items: some(testimonial) }),
  videos: v.strictObject({ title: text, items: v.array(video) }),
});

/** `outlets.yaml`: partners, and where the author was heard and seen. */
const outletsSchema = v.strictObject({
  partners: v.strictObject({ title: text, items: v.array(outlet) }),
  media: v.strictObject({ title: text, rows: v.array(some(outlet)) }),
});

/** `faq.yaml`: questions, with answers in HTML. */
const faqSchema = v.strictObject({
  title: text,
  aside: v.strictObject({ text, link: text }),
  items: some(v.strictObject({ question: text, answer: text })),
});

/** `terms.yaml`: what a registrant agrees to. */
export const termsSchema = v.strictObject({
  version: spelled(/^[\w.-]+$/, 'letters, digits, dots and hyphens only, such as 2'),
  policies,
});

/** `record.yaml`, which a program writes: what was published under which version. */
const recordSchema = v.strictObject({
  terms: v.record(v.string(), v.string()),
  questions: v.exactOptional(v.array(text)),
});

const hexColor = spelled(/^#[0-9a-f]{6}$/, 'a colour such as "#33202e", in quotes and small letters');
const color = v.strictObject({ light: hexColor, dark: hexColor });

/** `theme.yaml`: the palette, for light and dark. */
const themeSchema = v.strictObject({
  /** The ground of the deep sections, in both schemes. */
  deep: hexColor,
  colors: v.strictObject({
    ...v.entriesFromList(['paper', 'sand', 'mist', 'ink', 'ink-soft'], color),
    ...v.entriesFromList(['accent', 'accent-text', 'on-accent', 'accent-strong'], color),
    ...v.entriesFromList(['sage', 'rule', 'error'], color),
  }),
  art: v.strictObject({
    ...v.entriesFromList(['sky', 'halo', 'glow', 'sun', 'light', 'moon', 'path', 'wall', 'wood'], color),
    ...v.entriesFromList(['far', 'mid', 'near', 'deep', 'hair', 'accent'], color),
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
