import type { PracticalFacts } from './entities.ts';

/** One retreat that is sold or was sold, as the build reads it from its folder in `editions/`. */
export interface Edition {
  facts: Facts;
  timetable: Timetable;
  terms: Terms;
  /** All that was ever recorded as its terms, the present ones among them: a registrant keeps what she agreed to. */
  agreed: readonly Terms[];
  /** The versions that say of a deposit paid late what the present one says: that, when and how its balance is charged. */
  lateTerms: readonly string[];
  practicalFacts: PracticalFacts;
  palette: Palette;
  /** Where the clock of a site that is tried out stands when it starts: an ISO moment. */
  tryOutFrom: string;
}

/** The colours that letters are set in: those of the page. */
export type Palette = Readonly<
  Record<'paper' | 'sand' | 'ink' | 'inkSoft' | 'accent' | 'accentText' | 'onAccent' | 'rule', Color>
>;

/** As `#rrggbb`, by day and by night. */
export interface Color {
  light: string;
  dark: string;
}

/** What is sold, when and for how much. Dates are ISO, at the retreat's own time zone. */
export interface Facts {
  /** Names the edition in payments and calendars: the name of its folder. */
  id: string;
  siteName: string;
  title: string;
  subtitle: string;
  startDate: string;
  endDate: string;
  balanceDueDate: string;
  balance: BalancePlan;
  /** When the retreat is over, and nothing is charged any more: an ISO moment. */
  endsAt: string;
  /** How many people there is room for; absent where there is no bound. */
  places?: number;
  registration: RegistrationWindow;
  retreatPackage: RetreatPackage;
  prices: Prices;
  calendar: CalendarFacts;
}

/** What becomes of the balance, and when: ISO moments with their distance from UTC. */
export interface BalancePlan {
  /** She is told that, when and how much she will be charged. */
  noticeAt: string;
  reminderAt: string;
  chargeAt: string;
  /** The first moment at which it is too late to cancel for a refund: the end of the day on which the balance is due. */
  refundsEndAt: string;
  /** Who pays her deposit within so many days before `chargeAt`, or after it, is charged so many days after that. */
  lateDays: number;
  /** Whether a refund gives the card fee back. */
  feeRefundable: boolean;
}

/** ISO moments with their distance from UTC; without `opens` it is open from the start. */
export interface RegistrationWindow {
  opens?: string;
  closes: string;
}

/** What a visitor can reserve. All amounts in whole US dollars (requirement R8). */
export interface RetreatPackage {
  id: string;
  title: string;
  description: string;
  /** What the visitor is paying for, as the registration form calls it. */
  selection: string;
  total: number;
  oldPrice: number;
  /** What the card is charged today, fee included, in US dollars. */
  deposit: number;
  features: readonly string[];
  asteriskNote?: string;
}

/** The price taken apart, in US cents. */
export interface Prices {
  /** The card fee for people: `3.75%`. */
  cardFee: string;
  /** The same for sums: 3.75% is 37.5. */
  cardFeePerMille: number;
  /** What early registration saves. */
  savingCents: number;
  depositBeforeFeeCents: number;
  /** The card charge for the deposit, in whole dollars. */
  depositCents: number;
  /** What the deposit before its fee leaves of the tuition. */
  balanceBeforeFeeCents: number;
  /** The balance as it is charged to the card on file, fee included. */
  balanceCents: number;
  /** The whole price by card, fees included. */
  byCardCents: number;
  byCheckCents: number;
}

export interface CalendarFacts {
  fileName: string;
  /** Counted up when a session changes: calendars then replace the sessions they hold. */
  revision: number;
  /** In UTC. */
  revisedAt: string;
  /** How reliable its hours are. */
  note: string;
}

/** The sessions and the ways into them. */
export interface Timetable {
  timeZone: { id: string; name: string; label: string };
  /** What is said before the hours. */
  intro: string;
  days: readonly ScheduleDay[];
  /** Every session of the retreat, in order. */
  sessions: readonly ScheduledSession[];
  /** To try the video service, about a week before the retreat. */
  testSession: ScheduledSession;
  /** When the letters with the links to the room are sent; the retreat's comes again each morning. ISO dates. */
  linkDates: { testSession: string; retreat: string };
  letters: LetterMoments;
}

/** When letters about the retreat itself go out: ISO moments with their distance from UTC. */
export interface LetterMoments {
  testSession: string;
  /** The day before the retreat and each of its days, as ISO dates. */
  wayIn: readonly { day: string; at: string }[];
  /** Absent where nothing is recorded, or recordings are not announced. */
  recordings?: string;
}

export interface ScheduleDay {
  /** ISO date. */
  date: string;
  /** What holds for the whole day. */
  caveat?: string;
  entries: readonly ScheduleEntry[];
}

export interface ScheduleEntry {
  /** For people. */
  time: string;
  note: string;
  /** Absent for breaks, which have no set hour. */
  session?: ScheduledSession;
}

/** A session with its hours: ISO local date and time at the retreat's time zone. */
export interface ScheduledSession {
  /** Unique within an edition. It outlives a change of hour or wording, so calendars recognise the session. */
  id: string;
  title: string;
  start: string;
  /** The start with its distance from UTC. */
  startsAt: string;
  /** About how long it takes. */
  minutes: number;
  /** By `minutes`, so approximate. */
  end: string;
  endsAt: string;
  /** What is recorded of it; absent where nothing is, as of small groups. */
  recorded?: 'audio' | 'video';
}

/** What a registrant agrees to, by its version; what the office's configuration says is still to be filled in. */
export interface Terms {
  version: string;
  /** SHA-256 of the policies, in hexadecimal digits: the same text has the same digest, wherever it is worked out. */
  digest: string;
  policies: readonly Policy[];
}

export interface Policy {
  title: string;
  paragraphs: readonly string[];
}
