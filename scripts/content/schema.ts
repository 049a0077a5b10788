import * as v from 'valibot';
import {
  count,
  faqSchema,
  maybe,
  outletsSchema,
  pageSchema,
  peopleSchema,
  searchSchema,
  some,
  spelled,
  text,
  words,
} from '#shared/content/entities.ts';
import { sitePageNames } from '#shared/content/site-pages.ts';
import { isCalendarDay } from '#shared/dates.ts';

// The shape of an edition. A message completes "write …"; the others are in `explain` of read.ts.
const inMonth = v.check(isCalendarDay, 'a day that its month has');
const date = v.pipe(v.string(), v.isoDate('a date such as 2027-03-08'), inMonth);
const clock = v.pipe(
  v.string(),
  v.isoTime('a time of the 24-hour clock, two digits each, such as 08:30 or 17:30 (5:30 pm)'),
);
const localMoment = v.pipe(v.string(), v.isoDateTime('a date and a time such as 2027-03-08T00:00'), inMonth);
const hundredths = v.pipe(
  v.number(),
  v.minValue(0),
  v.check((amount) => Number(amount.toFixed(2)) === amount, 'a number with two decimals at most'),
);
const positive = v.pipe(count, v.minValue(1));
const policies = some(v.strictObject({ title: text, paragraphs: some(text) }));

const question = v.strictObject({
  id: spelled(
    /^[a-z][a-z0-9-]{0,39}$/,
    'a name for the answers: small letters, digits and - only, such as name-shown',
  ),
  text,
  note: maybe(text),
  /** Without them she answers in her own words. */
  choices: maybe(
    v.pipe(v.array(text), v.minLength(2, 'two choices at least'), v.maxLength(12, 'twelve choices at most')),
  ),
  required: v.optional(v.boolean(), false),
});

/** `edition.yaml`: what is sold, when it takes place and what it costs. */
const edition = v.strictObject({
  ...words('siteName', 'title', 'subtitle'),
  /** For a home screen, where the whole name has no room. */
  shortName: maybe(text),
  timeZone: v.strictObject(words('id', 'name', 'label')),
  dates: v.strictObject({ first: date, last: date }),
  registration: v.strictObject({ opens: maybe(localMoment), closes: localMoment }),
  package: v.strictObject({
    id: spelled(/^[a-z0-9_]+$/, 'small letters, digits and _ only, such as june_retreat'),
    ...words('title', 'description', 'selection'),
    features: some(text),
    asteriskNote: maybe(text),
  }),
  price: v.strictObject({
    ...v.entriesFromList(['tuition', 'regularTuition', 'depositBeforeFee'], hundredths),
    /** What a card costs more, in percent; without it, as much as a check. */
    cardFee: v.optional(hundredths, 0),
    deposit: count,
    balanceDue: date,
  }),
  balance: v.strictObject({
    noticeDays: v.pipe(count, v.minValue(3, '3 at least, since the terms promise three days')),
    reminderDays: positive,
    chargedAt: clock,
    lateDays: v.pipe(count, v.minValue(4, '4 at least, so that a notice comes three days before the charge')),
    /** Whether a refund gives the card fee back; absent where none is asked. */
    feeRefundable: maybe(v.boolean()),
  }),
  /** Without it, there is no limit. */
  places: maybe(positive),
  holdMinutes: v.optional(v.pipe(count, v.minValue(10, '10 at least, the time to type in a card')), 30),
  /** The last day on which a place can be handed over to somebody else; without it, none can be. */
  handOverUntil: maybe(date),
  /** Payment plans: of each, the days on which a part of the balance is charged. Without them, the office writes each one. */
  plans: maybe(v.strictObject({ roomWhilePaying: v.boolean(), offered: some(v.array(date)) })),
  /** The time on the clock of a site that is tried out when it starts. */
  tryOutFrom: localMoment,
  wayIn: v.strictObject({
    testSession: v.strictObject({ date, time: clock, minutes: positive, title: text }),
    testLinkSent: date,
    linkSent: date,
    /** When the letters with the way in are sent: on these two dates, and on each day of the retreat. */
    sentAt: clock,
  }),
  /** How many days after the last one the recordings are announced; without it they are not. */
  recordings: maybe(
    v.strictObject({
      daysAfter: v.pipe(
        positive,
        v.maxValue(29, '29 at most, since the pages that lead there close a day later'),
      ),
      sentAt: clock,
    }),
  ),
  /** What registrants are asked on their pages once the deposit is paid. */
  questions: maybe(
    v.strictObject({
      remindAt: localMoment,
      editableUntil: localMoment,
      items: v.pipe(v.array(question), v.maxLength(6, 'six questions at most')),
    }),
  ),
  /** Sections that it adds to the pages about the site. */
  notices: maybe(v.strictObject(v.entriesFromList(sitePageNames, maybe(policies)))),
  /**
   * How card statements end the name of a charge; without it they show the account's own name alone.
   * @see https://docs.stripe.com/get-started/account/statement-descriptors 22 characters, of which 2 are the least prefix,
   * and 2 come between
   */
  statementSuffix: maybe(
    spelled(
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
  search: searchSchema,
});

/** Of a session that is not recorded, like small groups, nothing is said. */
const session = v.strictObject({
  time: clock,
  minutes: positive,
  name: spelled(/^[a-z0-9-]+$/, 'small letters, digits and - only, such as evening-meal'),
  title: text,
  recorded: maybe(v.picklist(['audio', 'video'])),
});
const pause = v.strictObject(words('time', 'title'));

/** `schedule.yaml`: the sessions, day by day. What has neither length nor name is a break. */
const schedule = v.strictObject({
  days: some(
    v.strictObject({
      date,
      caveat: maybe(text),
      entries: some(
        v.lazy((entry): typeof session | typeof pause =>
          typeof entry === 'object' && entry !== null && ('minutes' in entry || 'name' in entry)
            ? session
            : pause,
        ),
      ),
    }),
  ),
});

const version = spelled(/^[\w.]+$/, 'letters, digits and dots only, in quotes, such as "2"');
/** `terms.yaml`: what a registrant agrees to. */
const terms = v.strictObject({ version, policies });

/** A file of `agreed/`, which programs write: terms as they were published, with what they say of the balance. */
const agreed = v.strictObject({
  version,
  digest: text,
  prices: v.strictObject({ balanceBeforeFeeCents: v.number(), cardFeePerMille: v.number() }),
  balance: v.strictObject({
    ...words('chargeAt', 'refundsEndAt'),
    lateDays: v.number(),
    feeRefundable: v.boolean(),
  }),
  policies,
});

const hex = spelled(/^#[0-9a-f]{6}$/, 'a colour such as "#33202e", in quotes and small letters');
const colors = <const Names extends readonly string[]>(...names: Names) =>
  v.entriesFromList(names, v.strictObject({ light: hex, dark: hex }));

/** `theme.yaml`: the palette, for light and dark. */
const theme = v.strictObject({
  /** The ground of the deep sections, in both schemes. */
  deep: hex,
  colors: v.strictObject({
    ...colors('paper', 'sand', 'mist', 'ink', 'ink-soft'),
    ...colors('accent', 'accent-text', 'on-accent', 'accent-strong'),
    ...colors('sage', 'rule', 'error'),
  }),
  art: v.strictObject({
    ...colors('sky', 'halo', 'glow', 'sun', 'light', 'moon', 'path', 'wall', 'wood'),
    ...colors('far', 'mid', 'near', 'deep', 'hair', 'accent'),
  }),
});

/** The files that an author writes, each by its name without `.yaml`. */
export const files = {
  edition,
  schedule,
  page: pageSchema,
  people: peopleSchema,
  outlets: outletsSchema,
  faq: faqSchema,
  terms,
  theme,
};

/** An edition's folder: what its author wrote, the names in `media/`, and what programs keep in `agreed/`. */
export const shape = v.strictObject({ ...files, media: v.array(v.string()), agreed: v.array(agreed) });
export type Written = v.InferOutput<typeof shape>;

/** Reports what is wrong in a field, named by its path such as `edition.dates.last`; nothing for `false`. */
export type Report = (path: string, wrong: string | false) => void;
