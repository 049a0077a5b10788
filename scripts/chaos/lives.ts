import { isLetterName, type LetterName } from '#server/letters/table.ts';
import { between, type Random } from '#server/testing/random.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { dateAt } from '#shared/dates.ts';
import { at, DAY_MS, HOUR_MS, moments, type When } from './moments.ts';

/** Test cards, by what they do when they are charged without her, or refunded. */
export const CARDS = {
  good: '4242424242424242',
  other: '5555555555554444',
  /** Every charge without her requires her authentication. */
  authentication: '4000002760003184',
  /** A refund to this card fails later. */
  failingRefund: '4000000000005126',
} as const;

/** What she does on her page. */
export type PageDeed = 'pay-now' | 'new-card' | 'cancel' | 'undo';
/** Her bank does the others; what the office does is an act with its fields. */
type Deed = readonly [
  when: When,
  does: PageDeed | 'disputes-deposit' | 'settles-refunds' | 'office',
  words?: string,
];

interface Life {
  /** Its weight when lives are drawn. */
  share: number;
  arrives: keyof typeof ARRIVALS;
  card: keyof typeof CARDS;
  /** How the charges of her first card after the deposit are declined, one after the other. */
  declines: readonly string[];
  consents: boolean;
  pays: boolean;
  deeds: readonly Deed[];
  /** US cents that her cards are charged after the deposit, and what goes back to them, in all; each is right. */
  charged: readonly number[];
  back: readonly number[];
  /** The letters after the welcome; those that may come besides; whether she gets those about the retreat itself. */
  letters: string;
  maybe: string;
  comes: boolean;
  /** She comes when the last places go: she may be told that there is none. */
  isOfCrowd: boolean;
}

const { prices, balance } = edition.facts;
const BALANCE = prices.balanceBeforeFeeCents;
const byCard = (cents: number): number => Math.round(cents * (1 + prices.cardFeePerMille / 1000));
const lateMs = balance.lateDays * DAY_MS;

/** When a life begins. */
const ARRIVALS = {
  /** On the first day, while everything fails. */
  early: [moments.opens, moments.opens],
  /** Charged some days after her deposit. */
  late: [moments.charge - lateMs + 2 * HOUR_MS, moments.ends - lateMs - 5 * DAY_MS],
  /** Asked to pay: those days end after the retreat. */
  last: [moments.ends - lateMs + 6 * HOUR_MS, moments.closes - 40 * HOUR_MS],
  crowd: [moments.closes - 20 * HOUR_MS, moments.closes - 19 * HOUR_MS],
} as const satisfies Record<string, readonly [from: number, until: number]>;

const TOLD = 'balance-notice balance-reminder';
const CHARGED = `${TOLD} balance-paid`;
const CANCELLED = 'cancel-received office-cancel cancelled';
const USUAL: Life = {
  ...{ share: 1, arrives: 'early', card: 'good', declines: [], consents: true, pays: true, deeds: [] },
  ...{ charged: [byCard(BALANCE)], back: [0], letters: CHARGED, maybe: '', comes: true, isOfCrowd: false },
};
const ASKED = { charged: [0], letters: 'please-pay' };
const REDUCED_BY = 20_000;
const dollars = (cents: number): number => cents / 100;

/** What can become of a registration. Sums follow from the edition's. */
const TABLE = {
  charged: { share: 30 },
  'comes late': { share: 9, arrives: 'late' },
  'comes last': { ...ASKED, share: 2, arrives: 'last' },
  'never pays': { share: 6, pays: false, charged: [0], letters: '', comes: false },
  'did not agree': { ...ASKED, share: 2, consents: false },
  'declined once': {
    ...{ share: 5, declines: ['insufficient_funds'] },
    letters: `${TOLD} balance-failed balance-paid`,
  },
  'declined for good': {
    ...{ share: 2, charged: [0], declines: Array.from({ length: 9 }, () => 'generic_decline') },
    letters: `${TOLD} balance-failed balance-failed`,
  },
  'another card': {
    ...{ share: 3, declines: ['lost_card'], deeds: [['notice+4d', 'new-card']] },
    letters: 'balance-notice card-on-file balance-reminder balance-paid',
  },
  'pays early': { share: 4, letters: 'balance-notice balance-paid', deeds: [['notice+5d', 'pay-now']] },
  'pays as she is charged': { share: 3, maybe: 'balance-failed', deeds: [['charge', 'pay-now']] },
  'must authenticate': {
    ...{ share: 3, card: 'authentication', letters: `${TOLD} balance-failed balance-paid` },
    deeds: [['charge+1.5d', 'pay-now']],
  },
  'her check bounces': {
    ...{ charged: [0], letters: 'balance-notice balance-paid payment-returned balance-paid' },
    deeds: [
      ['notice+1d', 'office', 'pay-by-check'],
      ['notice+3d', 'office', `received way=check dollars=${dollars(BALANCE)} on={notice+2d}`],
      ['notice+5d', 'office', 'undo what=payment-1-bounced'],
      ['charge+4d', 'office', `received way=check dollars=${dollars(BALANCE)} on={charge+3d}`],
    ],
  },
  'pays less': {
    ...{ share: 2, charged: [byCard(BALANCE - REDUCED_BY)], letters: `tuition-reduced ${CHARGED}` },
    deeds: [['notice-7h', 'office', `waive dollars=${dollars(REDUCED_BY)} as=reduction`]],
  },
  'pays in parts': {
    letters: `payment-plan payment-plan ${TOLD} payment-received ${TOLD} payment-received ${TOLD} balance-paid`,
    deeds: [
      ['notice-7h', 'office', 'plan parts="{charge} 300, {charge+10d} 250, {charge+20d} 150"'],
      ['notice-6h', 'office', 'plan-agreed agreed=phone agreedOn={notice-6h}'],
    ],
  },
  'gets some back': {
    ...{ back: [5_000], letters: `${CHARGED} refund-made` },
    deeds: [['charge+4d', 'office', 'refund dollars=50 reason=ill']],
  },
  'cancels in time': {
    ...{ share: 4, back: [BALANCE], letters: `balance-notice balance-paid ${CANCELLED}`, comes: false },
    deeds: [
      ['notice+1d', 'pay-now'],
      ['notice+4d', 'cancel'],
    ],
  },
  'cancels as she is charged': {
    ...{ share: 2, charged: [0, byCard(BALANCE)], back: [0, BALANCE, byCard(BALANCE)], comes: false },
    ...{ letters: `${TOLD} ${CANCELLED}`, maybe: 'balance-paid' },
    deeds: [['charge', 'cancel']],
  },
  'cancels and comes': {
    ...{
      share: 2,
      letters: `balance-notice cancel-received office-cancel cancel-undone office-cancel ${CHARGED}`,
    },
    deeds: [
      ['notice+2d', 'cancel'],
      ['notice+57h', 'undo'],
    ],
  },
  'her refund fails': {
    ...{ card: 'failingRefund', back: [0], comes: false },
    letters: `balance-notice balance-paid ${CANCELLED} refund-failed refund-made`,
    deeds: [
      ['notice+1d', 'pay-now'],
      ['notice+4d', 'cancel'],
      ['notice+8d', 'settles-refunds'],
      ['charge+2d', 'office', `refund-by-check dollars=${dollars(BALANCE)} sent={charge+1d}`],
    ],
  },
  'comes to the last places': { ...ASKED, share: 0, arrives: 'crowd', isOfCrowd: true },
  disputes: {
    charged: [0],
    letters: 'balance-notice test-session',
    comes: false,
    deeds: [['notice+4d', 'disputes-deposit']],
  },
} as const satisfies Record<string, Partial<Life>>;

type LifeName = keyof typeof TABLE;
export const lifeNames = Object.keys(TABLE).filter((name): name is LifeName => name in TABLE);

/** Somebody who registers, with details of her own; moments in milliseconds of business time. */
export type Person = ReturnType<typeof personOf>;

/** So many more want a place at the end than there are. */
const CROWD = 8;

/** People by their lives: one of each first, then by their shares, and a crowd for the last places. */
export function drawPeople(random: Random, count: number): Person[] {
  const weighted = lifeNames.flatMap((name) =>
    Array.from({ length: { ...USUAL, ...TABLE[name] }.share }, () => name),
  );
  const drawn = () => weighted[Math.floor(random() * weighted.length)] ?? 'charged';
  const lives = Array.from({ length: count }, (_, number) => lifeNames[number] ?? drawn());
  const crowd = Array.from({ length: CROWD }, () => 'comes to the last places' as const);
  return [...lives, ...crowd].map((name, number) => personOf(number, name, random));
}

function personOf(number: number, name: LifeName, random: Random) {
  const life: Life = { ...USUAL, ...TABLE[name] };
  const begins = between(random, ...ARRIVALS[life.arrives]);
  const digits = String(number).padStart(6, '0');
  const email = `guest-${digits}@visitors.example`;
  const fill = (words: string): string =>
    words.replaceAll(/\{([^}]+)\}/g, (_, when: When) =>
      dateAt(new Date(at(when)), edition.timetable.timeZone.id),
    );
  return {
    ...life,
    life: name,
    begins,
    firstName: `Quillfeather${digits}`,
    lastName: `Marrowby${digits}`,
    email,
    phoneNumber: `+49 30 5550 1${digits}`,
    postalCode: String(10_000 + number),
    deeds: life.deeds.map(([when, does, words = '']) => ({ at: at(when, begins), does, words: fill(words) })),
    letters: kindsIn(life.letters),
    maybe: kindsIn(life.maybe),
  };
}

function kindsIn(text: string): LetterName[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((name) => {
      if (!isLetterName(name)) throw new Error(`There is no letter ${name}`);
      return name;
    });
}
