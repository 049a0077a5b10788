import { addDays, dateAt } from '#shared/local-time.ts';
import { type EditionLived, onSale } from './editions.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const { moments, lateMs, timeZone } = onSale;

/** When a life begins: registrations of one phase have the same way to their balance. */
export const PHASES = {
  /** Charged on the due day. */
  early: [moments.opens, moments.notice - 8 * HOUR_MS],
  /** After the notice went out to the others. */
  soon: [moments.notice + 2 * HOUR_MS, moments.charge - lateMs - 2 * HOUR_MS],
  /** Charged seven days after the deposit, with time left for the clock to stop before the retreat is over. */
  late: [moments.charge - lateMs + 2 * HOUR_MS, moments.ends - 12 * DAY_MS],
  /** Charged seven days after the deposit too, and in the next month. */
  turn: [moments.charge + 5 * DAY_MS + 2 * HOUR_MS, moments.charge + 8 * DAY_MS],
  /** Asked to pay: those seven days end after the retreat. */
  last: [moments.ends - lateMs + 6 * HOUR_MS, moments.closes - 20 * HOUR_MS],
} as const;
type Phase = keyof typeof PHASES;

/** Test cards, by what they do off-session. */
export const CARDS = {
  good: '4242424242424242',
  other: '5555555555554444',
  /** Every charge without her wants her authentication. */
  authentication: '4000002760003184',
} as const;

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
  /** The deposit was never paid. */
  | 'never-registered';

/** What is done in a life, and when. */
export type Deed =
  /** On her page. */
  | { does: 'pay-now' | 'new-card'; at: number }
  /** A command of the office, whose PAYMENT_INTENT is her deposit. */
  | { does: 'office'; at: number; words: (deposit: string) => readonly string[]; corrects?: string }
  | { does: 'dispute'; at: number };

/** How a registration goes on. */
export interface Life {
  /** Of a hundred. */
  share: number;
  phase: Phase;
  ending: Ending;
  /** What she is told of the balance, each as often as it stands here. */
  letters: string;
  /** US cents that her card is charged for the balance; the whole balance when left out. */
  cents?: number;
  card?: keyof typeof CARDS;
  /** It ends with the month in which she registers. */
  cardEnds?: true;
  /** The page that she used was older than the consent. */
  isWithoutConsent?: true;
  /** How her card's next charges, after the deposit, are declined. */
  declines?: readonly string[];
  /** How often her card is tried without her in the end; not said where that depends on who is first. */
  tries?: number;
  deeds?: (person: { beganAt: number; email: string; edition: EditionLived }) => readonly Deed[];
}

/** A life that is not drawn. */
export type LifeToLive = Omit<Life, 'share' | 'phase'>;

const by = ['--by', 'Ada'] as const;
const at = (base: number, days: number) => base + days * DAY_MS;
/** The day of the retreat's clock so many days after a moment. */
const day = (base: number, days: number) => addDays(dateAt(new Date(base), timeZone), days);
const office = (when: number, ...words: readonly string[]): Deed => ({
  does: 'office',
  at: when,
  words: (deposit) => [words[0] ?? '', deposit, ...words.slice(1), ...by],
});
const { charge, notice } = moments;

/** Every way through the year that is tried. Sums are written out: nothing of the product works them out. */
export const LIVES = {
  charged: { share: 30, letters: 'notice reminder paid', phase: 'early', ending: 'charged', tries: 1 },
  'registers-soon': { share: 9, letters: 'notice reminder paid', phase: 'soon', ending: 'charged', tries: 1 },
  'registers-late': { share: 9, letters: 'notice reminder paid', phase: 'late', ending: 'charged', tries: 1 },
  'registers-last': { share: 2, letters: 'please-pay', phase: 'last', ending: 'unpaid', tries: 0 },
  'never-registers': { share: 4, letters: '', phase: 'early', ending: 'never-registered' },
  'no-consent': {
    share: 2,
    letters: 'please-pay',
    phase: 'early',
    ending: 'unpaid',
    isWithoutConsent: true,
    tries: 0,
  },
  'no-consent-pays': {
    ...{
      share: 2,
      letters: 'please-pay paid',
      phase: 'early',
      ending: 'pays',
      isWithoutConsent: true,
      tries: 0,
    },
    deeds: () => [{ does: 'pay-now', at: at(charge, 2) }],
  },
  'declined-once': {
    ...{ share: 5, letters: 'notice reminder failed paid', phase: 'early', ending: 'charged', tries: 2 },
    declines: ['insufficient_funds'],
  },
  'declined-twice': {
    ...{ share: 3, letters: 'notice reminder failed paid', phase: 'early', ending: 'charged', tries: 3 },
    declines: ['insufficient_funds', 'generic_decline'],
  },
  'declined-always': {
    ...{ share: 2, letters: 'notice reminder failed failed', phase: 'early', ending: 'unpaid', tries: 4 },
    declines: Array.from({ length: 9 }, () => 'generic_decline'),
  },
  'card-lost': {
    share: 2,
    letters: 'notice reminder failed',
    phase: 'early',
    ending: 'unpaid',
    declines: ['lost_card', 'lost_card'],
    tries: 1,
  },
  'card-expired-pays': {
    ...{
      share: 2,
      letters: 'notice reminder failed paid',
      phase: 'early',
      ending: 'pays',
      declines: ['expired_card', 'expired_card'],
      tries: 1,
    },
    deeds: () => [{ does: 'pay-now', at: at(charge, 3) }],
  },
  'card-declined-changes': {
    share: 2,
    letters: 'notice reminder failed paid',
    phase: 'early',
    ending: 'charged',
    declines: ['insufficient_funds', 'insufficient_funds', 'insufficient_funds'],
    tries: 2,
    deeds: () => [{ does: 'new-card', at: at(charge, 21 / 24) }],
  },
  authentication: {
    ...{
      share: 3,
      letters: 'notice reminder failed paid',
      phase: 'early',
      ending: 'pays',
      card: 'authentication',
      tries: 1,
    },
    deeds: () => [{ does: 'pay-now', at: at(charge, 1.5) }],
  },
  'authentication-ignored': {
    share: 1,
    letters: 'notice reminder failed',
    phase: 'early',
    ending: 'unpaid',
    card: 'authentication',
    tries: 1,
  },
  'new-card': {
    ...{ share: 3, letters: 'notice reminder paid', phase: 'early', ending: 'charged', tries: 1 },
    declines: ['lost_card'],
    deeds: () => [{ does: 'new-card', at: at(notice, 4) }],
  },
  'card-expires': {
    ...{ share: 1, letters: 'notice expires reminder failed', phase: 'turn', ending: 'unpaid', tries: 1 },
    cardEnds: true,
    declines: ['expired_card'],
  },
  'card-expires-changes': {
    ...{ share: 2, letters: 'notice expires reminder paid', phase: 'turn', ending: 'charged', tries: 1 },
    cardEnds: true,
    declines: ['expired_card'],
    deeds: ({ beganAt }) => [{ does: 'new-card', at: at(beganAt, 1.5) }],
  },
  'pays-early': {
    ...{ share: 4, letters: 'notice paid', phase: 'early', ending: 'pays', tries: 0 },
    deeds: () => [{ does: 'pay-now', at: at(notice, 5) }],
  },
  // At the very moment at which it is charged: either is well, both is not.
  'pays-meanwhile': {
    ...{ share: 3, letters: 'notice reminder paid', phase: 'early', ending: 'charged' },
    deeds: () => [{ does: 'pay-now', at: charge }],
  },
  'check-comes': {
    ...{ share: 2, letters: 'notice paid', phase: 'early', ending: 'check', tries: 0 },
    deeds: () => [
      office(at(notice, 2), 'pay-by-check'),
      office(at(charge, 4), 'pay-by-check', '--received', day(charge, 3)),
    ],
  },
  'check-promised': {
    ...{ share: 1, letters: 'notice', phase: 'early', ending: 'unpaid', tries: 0 },
    deeds: () => [office(at(notice, 2), 'pay-by-check')],
  },
  'waived-before': {
    ...{
      share: 2,
      letters: 'notice reminder paid',
      phase: 'early',
      ending: 'charged',
      cents: 51_875,
      tries: 1,
    },
    deeds: () => [office(at(notice, -0.3), 'waive', '200')],
  },
  'waived-after-notice': {
    ...{
      share: 1,
      letters: 'notice reminder paid',
      phase: 'early',
      ending: 'charged',
      cents: 20_750,
      tries: 1,
    },
    deeds: () => [office(at(notice, 3), 'waive', '500')],
  },
  'waived-all': {
    ...{ share: 1, letters: 'notice', phase: 'early', ending: 'waived', tries: 0 },
    deeds: () => [office(at(notice, 3), 'waive', '700')],
  },
  postponed: {
    ...{ share: 3, letters: 'notice postponed reminder paid', phase: 'early', ending: 'charged', tries: 1 },
    deeds: () => [office(at(notice, 6), 'postpone', day(charge, 18))],
  },
  'cancels-before': {
    ...{ share: 3, letters: 'notice', phase: 'early', ending: 'cancelled', tries: 0 },
    deeds: () => [office(at(notice, 7), 'cancel', '--written', day(notice, 6))],
  },
  'cancels-after': {
    ...{ share: 2, letters: 'notice reminder paid', phase: 'early', ending: 'charged', tries: 1 },
    deeds: () => [office(at(charge, 6), 'cancel', '--written', day(charge, 5))],
  },
  'cancels-retrying': {
    ...{ share: 1, letters: 'notice reminder', phase: 'early', ending: 'cancelled', tries: 1 },
    declines: ['insufficient_funds'],
    deeds: () => [office(at(charge, 0.6), 'cancel', '--written', day(charge, 0))],
  },
  'address-corrected': {
    ...{ share: 2, letters: 'notice notice reminder paid', phase: 'early', ending: 'charged', tries: 1 },
    deeds: ({ email }) => {
      const corrects = `new-${email}`;
      const words = (deposit: string) => ['edit', deposit, '--email', corrects, ...by];
      return [{ does: 'office', at: at(notice, 3), words, corrects }];
    },
  },
  disputed: {
    ...{ share: 1, letters: 'notice', phase: 'early', ending: 'unpaid', tries: 0 },
    deeds: () => [{ does: 'dispute', at: at(notice, 4) }],
  },
} satisfies Record<string, Life>;
export type LifeName = keyof typeof LIVES;
