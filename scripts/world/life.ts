import type { OfficeNeed } from '#server/letters/office-digest-words.ts';
import type { RegistrationState } from '#server/registration/registration-state.ts';
import { type EditionMoment, HOUR_MS } from './editions.ts';

/**
 * A moment of an edition (`charge`), or that in which she began to register (`began`), moved by days or hours:
 * `notice+2d`.
 */
export type When = `${Anchor}${'' | `${'+' | '-'}${number}${'d' | 'h'}`}`;
type Anchor = 'began' | EditionMoment;

/** Test cards, by what they do when they are charged without her, or refunded. */
export const CARDS = {
  good: '4242424242424242',
  other: '5555555555554444',
  /** Every charge without her requires her authentication. */
  authentication: '4000002760003184',
  /** A refund to this card is pending at first. */
  pendingRefund: '4000000000007726',
  /** A refund to this card fails later. */
  failingRefund: '4000000000005126',
} as const;
export type Card = keyof typeof CARDS;

/**
 * What she does on her page. For `new-address` she asks for another address, and confirms it by a letter to it. Once she
 * agrees to `give-place`, somebody else may do `take-place`, with a card of her own, and gets all letters since.
 */
const ON_PAGE = [
  ...(['pay-now', 'new-card', 'cancel', 'undo', 'new-address', 'ask-address'] as const),
  ...(['give-place', 'take-place'] as const),
] as const;
/**
 * What her bank does, and somebody in Stripe's dashboard. Once `stripe-refuses`, Stripe makes no payment and no refund
 * for her. `lacks-funds` and `card-lost` decline the next charge of her card, for now and for good.
 */
const ELSEWHERE = [
  'disputes-deposit',
  'disputes-balance',
  'dispute-won',
  'dispute-lost',
  'settles-refunds',
  'dashboard-cancels',
  'dashboard-refunds',
  'dashboard-renames-refund',
  'stripe-refuses',
  'lacks-funds',
  'card-lost',
] as const satisfies readonly string[];

/** Something that is done in a life. A second moment, `until`, means any moment between. */
export type Deed = {
  at: When;
  until?: When;
  /** The drills stop the clock at this moment; they do other deeds soon after theirs. */
  stops: boolean;
} & (
  | { does: (typeof ON_PAGE)[number] | (typeof ELSEWHERE)[number]; card: Card }
  /**
   * An act of the office, as support's command takes it: its kind, then its fields. `{charge+3d}` is that day,
   * `{address}` the address to which the office corrects hers, `{sister}` that of who takes her place.
   */
  | { does: 'office'; words: string }
);

/** A letter that comes back after the mail server accepted it: the first of a kind. */
export interface Bounce {
  of: string;
  /** Reported at this moment, or else within so many hours of the letter. */
  at?: When;
  withinHours: number;
}

/** What becomes of the balance, if nothing is lost. */
export type Ending =
  /** Her card is charged without her. */
  | 'charged'
  /** She pays it on her page. */
  | 'pays'
  | 'check'
  | 'waived'
  /** It stays unpaid. */
  | 'unpaid'
  | 'cancelled'
  /** She cancels in the moment in which it is charged: either comes first. */
  | 'charged-or-cancelled'
  /** The deposit was never paid. */
  | 'never-registered';

/** How a registration goes on; what a row of the table leaves out is as in `USUAL`. */
export interface Life {
  /** Its weight when lives are drawn for the year; 0 for those that only the office's sample has. */
  share: number;
  /** When it begins in the year (`PHASES` in `people.ts`). */
  phase: 'first' | 'early' | 'soon' | 'late' | 'turn' | 'last' | 'eve';
  /** How many live it in the office's sample, and on which days (month-day) they register there. */
  sample: number;
  on: string;
  /** Whether she agrees to the terms; a page that is older than the consent does not ask. */
  consents: boolean;
  /** She calls: with which fields the office registers her. */
  phone: string;
  /** US cents of the deposit, if it is not the card's usual sum. */
  deposit?: number;
  card: Card;
  /** Her card expires with the month in which she registers. */
  cardEnds: boolean;
  /** How her first card's charges after the deposit are declined, one after the other. */
  declines: string;
  /** The mail server refuses all letters to her. */
  isRefused: boolean;
  deeds: readonly Deed[];
  bounces: readonly Bounce[];
  ending: Ending;
  /** The letters after the welcome, each as often as it comes; and those that may come, or be overtaken. */
  letters: string;
  maybe: string;
  /** US cents that her card is charged for the balance, if it is not the whole. */
  cents?: number;
  /** The payments by card of a balance that is paid in parts: `charged 31125 pays 25938`. */
  parts: string;
  /** How often her card is tried without her: by default once if it is charged, else never. */
  tries?: number | 'either';
  /**
   * US cents that go back to her card in all; or what the policy refunds of a paid balance; or that, as of the moments
   * in which she cancelled and was charged.
   */
  back: number | 'policy' | 'by-moment';
  /** US cents that she gets back by check. */
  checkBack: number;
  /** Where the registration stands on the office's day (January 20), and why it needs the office then. */
  state: RegistrationState;
  needs: readonly OfficeNeed[];
}

/** She is told of the charge, reminded of it, and charged. */
const USUAL: Life = {
  share: 0,
  phase: 'early',
  sample: 0,
  on: '12-05',
  consents: true,
  card: 'good',
  cardEnds: false,
  declines: '',
  isRefused: false,
  deeds: [],
  bounces: [],
  ending: 'charged',
  phone: '',
  parts: '',
  letters: 'notice reminder paid',
  maybe: '',
  back: 0,
  checkBack: 0,
  state: 'settled',
  needs: [],
};

export type Facts = Partial<Omit<Life, 'deeds' | 'bounces'>>;

/**
 * What happens in a life: `notice+2d cancel`, `notice+1d pay-now failingRefund`, `charge+1d office charge`,
 * `notice comes back within 96h`. A `!` after the moment means that the clock stops there.
 */
export type Happening =
  | `${When}${'' | '!' | `..${When}`} ${(typeof ON_PAGE)[number] | (typeof ELSEWHERE)[number]}`
  | `${When} pay-now ${Card}`
  | `${When}${'' | '!'} office ${string}`
  | `${string} comes back${'' | ` within ${number}h` | ` at ${When}`}`;

/** Reads a row of the table. */
export function lifeOf([facts, ...happenings]: readonly [Facts, ...Happening[]]): Life {
  const read = happenings.map((one) => bounceOf(one) ?? deedOf(one));
  return {
    ...USUAL,
    ...facts,
    deeds: read.filter((one) => 'does' in one),
    bounces: read.filter((one) => 'of' in one),
  };
}

function bounceOf(text: string): Bounce | undefined {
  const [, of, within, at] = /^(\S+) comes back(?: within (\d+)h)?(?: at (\S+))?$/.exec(text) ?? [];
  if (of === undefined) return undefined;
  return { of, withinHours: Number(within ?? 24), ...(isWhen(at) && { at }) };
}

function deedOf(text: string): Deed {
  const [, at, sharp, until, does = '', rest = ''] =
    /^([\w+.-]+?)(!)?(?:\.\.(\S+))? ([\w-]+)(?: (.+))?$/.exec(text) ?? [];
  if (!isWhen(at)) throw new Error(`There is no such moment: ${text}`);
  const moment = { at, stops: sharp === '!', ...(isWhen(until) && { until }) };
  if (does === 'office') return { ...moment, does, words: rest };
  const known = [...ON_PAGE, ...ELSEWHERE].find((one) => one === does);
  if (!known) throw new Error(`Nobody can do this: ${text}`);
  const card = Object.keys(CARDS).find((one): one is Card => one === rest) ?? 'other';
  return { ...moment, does: known, card };
}

const WHEN = /^(began|opens|notice|reminder|charge|refundsEnd|closes|ends)(?:([+-][\d.]+)([dh]))?$/;
const isWhen = (text: string | undefined): text is When => text !== undefined && WHEN.test(text);

/** The moments to which the moments of a life are relative, in milliseconds since the epoch. */
export type Anchors = Readonly<Record<Anchor, number>>;

/** In milliseconds since the epoch. */
export function momentOf(when: When, anchors: Anchors): number {
  const [, name = '', by = '0', unit] = WHEN.exec(when) ?? [];
  const base = Object.entries(anchors).find(([anchor]) => anchor === name)?.[1] ?? Number.NaN;
  return base + Number(by) * (unit === 'd' ? 24 : 1) * HOUR_MS;
}
