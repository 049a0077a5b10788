import type { PracticalFacts } from './entities.ts';
import type { Questions } from './questions.ts';

/** The pages about the site itself, by the names under which an edition adds to them (`notices` in edition.yaml). */
export type SitePageName = 'privacy' | 'accessibility' | 'legal' | 'healthData';

export interface Edition {
  facts: Facts;
  timetable: Timetable;
  terms: Terms;
  /** All versions of its terms, including the current one: a registrant keeps the version she agreed to. */
  agreed: readonly AgreedTerms[];
  /** The versions with the current rule for late deposits: that, when and how the balance is charged. */
  lateTerms: readonly string[];
  practicalFacts: PracticalFacts;
  questions?: Questions;
  /** Absent where the office writes each plan by hand, and the video room is open once all is paid. */
  plans?: Plans;
  notices?: Partial<Record<SitePageName, readonly Policy[]>>;
  palette: Palette;
  emblem: Emblem;
  /** The initial time of the sandbox clock (`CLOCK=sandbox`): an ISO moment. */
  tryOutFrom: string;
}

/** A PNG in base64, twice as large as it is shown; the size in CSS pixels. */
export interface Emblem {
  png: string;
  width: number;
  height: number;
}

export type Palette = Readonly<
  Record<'paper' | 'sand' | 'ink' | 'inkSoft' | 'accent' | 'accentText' | 'onAccent' | 'rule', Color>
>;

export interface Color {
  light: string;
  dark: string;
}

/** What is sold, when and for how much. Dates are ISO, in the retreat's own time zone. */
export interface Facts {
  /** The name of its folder, which also names the edition in payments and calendars. */
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
  places?: number;
  /** How long a place is held for a registrant: from her first submit, and once more from her consent. */
  holdMinutes: number;
  /** The first moment at which no place can be handed over any more: an ISO moment. Absent where none ever can. */
  handOverUntil?: string;
  /** How the name of a charge ends on card statements. */
  statementSuffix?: string;
  registration: { opens?: string; closes: string };
  retreatPackage: RetreatPackage;
  prices: Prices;
  calendar: {
    fileName: string;
    /** Incremented when a session changes: calendars then replace the sessions they have stored. */
    revision: number;
    revisedAt: string;
    note: string;
  };
}

/** When the balance is announced and charged: ISO moments with UTC offset. */
interface BalancePlan {
  noticeAt: string;
  reminderAt: string;
  chargeAt: string;
  /** The first moment at which it is too late to cancel for a refund: the end of the day on which the balance is due. */
  refundsEndAt: string;
  /**
   * If the deposit is paid later than this many days before `chargeAt`, the balance is charged this many days after
   * the deposit.
   */
  lateDays: number;
  feeRefundable: boolean;
}

export const PARTS_OF_PLAN = { least: 2, most: 4 };

export interface Plans {
  /** Whether the video room is open to who pays by a plan while no part is overdue, or only once all is paid. */
  roomWhilePaying: boolean;
  /** Of each plan that the office offers, when its parts are charged: ISO moments. */
  offered: readonly (readonly string[])[];
}

/** What a visitor can reserve. All amounts in whole US dollars (requirement R8). */
interface RetreatPackage {
  id: string;
  title: string;
  description: string;
  selection: string;
  total: number;
  oldPrice: number;
  deposit: number;
  features: readonly string[];
  asteriskNote?: string;
}

/** The price taken apart, in US cents. */
export interface Prices {
  /** The card fee as text for people: `3.75%`; `0%` where none is asked. */
  cardFee: string;
  /** The card fee as a number for calculation: 3.75% is 37.5. */
  cardFeePerMille: number;
  savingCents: number;
  depositBeforeFeeCents: number;
  /** The card charge for the deposit, in whole dollars. */
  depositCents: number;
  /** The tuition less the deposit before its fee. */
  balanceBeforeFeeCents: number;
  /** The balance as it is charged to the card on file, fee included. */
  balanceCents: number;
  /** The whole price by card, fees included. */
  byCardCents: number;
}

export interface Timetable {
  timeZone: { id: string; name: string; label: string };
  intro: string;
  days: readonly ScheduleDay[];
  sessions: readonly ScheduledSession[];
  /** To try the video service, about a week before the retreat. */
  testSession: ScheduledSession;
  /** When the letters with links to the room are sent; the retreat's again each morning. ISO dates. */
  linkDates: { testSession: string; retreat: string };
  /** When letters about the retreat itself go out: ISO moments with UTC offset. */
  letters: {
    testSession: string;
    /** One letter for the day before the retreat and for each of its days; `day` is an ISO date. */
    wayIn: readonly { day: string; at: string }[];
    recordings?: string;
  };
}

export interface ScheduleDay {
  date: string;
  caveat?: string;
  entries: readonly ScheduleEntry[];
}

export interface ScheduleEntry {
  time: string;
  note: string;
  session?: ScheduledSession;
}

/** A session with its hours: ISO local date and time in the retreat's time zone. */
export interface ScheduledSession {
  /**
   * Unique within an edition, and stable when hour or title change: calendars recognise the session by it.
   */
  id: string;
  title: string;
  start: string;
  startsAt: string;
  minutes: number;
  /** Calculated from `minutes`, so approximate. */
  end: string;
  endsAt: string;
  /** What is recorded of it; absent where nothing is, as of small groups. */
  recorded?: 'audio' | 'video';
}

export interface Terms {
  version: string;
  /** SHA-256 of the policies, in hexadecimal digits: the same text always has the same digest. */
  digest: string;
  policies: readonly Policy[];
}

/**
 * What a version of the terms says of the balance. It binds whoever agreed to that version, whatever the edition says
 * later.
 */
export interface BalanceTerms {
  prices: Pick<Prices, 'balanceBeforeFeeCents' | 'cardFeePerMille'>;
  balance: Pick<BalancePlan, 'chargeAt' | 'refundsEndAt' | 'lateDays' | 'feeRefundable'>;
}

export interface AgreedTerms extends Terms, BalanceTerms {}

export interface Policy {
  title: string;
  paragraphs: readonly string[];
}
