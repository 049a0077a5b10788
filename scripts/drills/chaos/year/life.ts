import type { Random } from '#scripts/drills/chaos/plan-faults.ts';
import { addDays, dateAt } from '#shared/local-time.ts';
import { type EditionLived, onSale } from './editions.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const { moments, lateMs, timeZone } = onSale;

/** When a life begins: the balances of all registrations of one phase go the same way. */
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
  /** The same, on the eve: the first letter with the way in has already been sent. */
  eve: [moments.closes - 16 * HOUR_MS, moments.closes - 2 * HOUR_MS],
} as const;
type Phase = keyof typeof PHASES;

/** Test cards, by what they do off-session. */
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

/**
 * Something done in a life, and when. With `stops`, the clock stops at this moment; otherwise it is done soon
 * after.
 */
export type Deed = { at: number; stops?: true } & (
  | { does: 'pay-now'; card?: keyof typeof CARDS }
  /** The others that she does on her page. */
  | { does: 'new-card' | 'cancel' | 'undo' }
  /** She asks for a new address on her page, and confirms it through the letter to that address. */
  | { does: 'new-address'; corrects: string }
  /** A command of the office, whose PAYMENT_INTENT is her deposit. */
  | {
      does: 'office';
      words: (deposit: string) => readonly string[];
      corrects?: string;
      /** The command says that letters arrive at her address again. */
      mends?: true;
    }
  /**
   * Done by her bank: it disputes the deposit; it settles, after some time, what was refunded to her card.
   */
  | { does: 'dispute' | 'settle-refunds' }
);

/** The person for whom deeds are made. */
interface Doer {
  beganAt: number;
  email: string;
  edition: EditionLived;
  /** A random number from 0 up to 1. */
  chance: number;
  /** Draws more random numbers. */
  draw: Random;
}

/** The bounce of a letter after the mail server accepted it. */
export interface Bounce {
  /** The kind whose first letter bounces, by the name that lives use. */
  of: string;
  type: 'hard' | 'soft' | 'complaint';
  /** How long after the letter was accepted the bounce is reported to the site. */
  afterMs: number;
  /** How long after the letter was accepted the bounce is reported again. */
  againAfterMs?: number;
  /** The report names only her address, no letter. */
  byAddress?: true;
}

/** How a registration goes on. */
export interface Life {
  /** The weight of this life in the draw. */
  share: number;
  phase: Phase;
  ending: Ending;
  /**
   * The letters to her after the welcome, and to the office about her cancellation, each as often as it is
   * listed here.
   */
  letters: string;
  /** Letters that may come, or may be overtaken before they are sent. */
  maybe?: string;
  /** US cents that her card is charged for the balance; by default the whole balance. */
  cents?: number;
  card?: keyof typeof CARDS;
  /** Her card expires with the month in which she registers. */
  cardEnds?: true;
  /** The page that she used was older than the consent. */
  isWithoutConsent?: true;
  /** How her card's next charges, after the deposit, are declined. */
  declines?: readonly string[];
  /** How often her card is tried without her in all; absent where that depends on which event comes first. */
  tries?: number;
  /**
   * US cents that go back to her card in all: a number; `policy`, what the policy refunds of a paid balance;
   * or `by-moment`, what the policy refunds depending on the moments at which she cancelled and was charged.
   */
  back?: number | 'policy' | 'by-moment';
  /** US cents that she gets back by check when she cancels. */
  checkBack?: number;
  bounces?: (person: Doer) => readonly Bounce[];
  deeds?: (person: Doer) => readonly Deed[];
}

/** A life that is not drawn. */
export type LifeToLive = Omit<Life, 'share' | 'phase'>;

/** The moment that is `days` days after another. */
export const at = (base: number, days: number) => base + days * DAY_MS;

/** The date in the retreat's time zone that is `days` days after a moment. */
export const day = (base: number, days: number) => addDays(dateAt(new Date(base), timeZone), days);

/** A command of the office. `words` are its first word and the words after the deposit's ID. */
export const office = (when: number, ...words: readonly string[]): Deed => ({
  does: 'office',
  at: when,
  words: officeWords(...words),
});

function officeWords(...[name = '', ...words]: readonly string[]) {
  return (deposit: string): readonly string[] => [name, deposit, ...words, '--by', 'Ada'];
}

/**
 * A bounce that is reported to the site at once or within a while; now and then twice, or by the address
 * alone.
 */
export function bounce(
  of: string,
  draw: Random,
  { type = 'hard', withinMs = DAY_MS }: { type?: Bounce['type']; withinMs?: number } = {},
): Bounce {
  const [isLate, isRepeated, isByAddress] = [draw() < 0.5, draw() < 0.3, draw() < 0.25];
  const afterMs = isLate ? draw() * withinMs : 0;
  return {
    ...{ of, type, afterMs },
    ...(isRepeated && { againAfterMs: afterMs + draw() * DAY_MS }),
    ...(isByAddress && { byAddress: true }),
  };
}

/** The office corrects her address. */
export const officeCorrects = (when: number, email: string): Deed => {
  const corrects = `new-${email}`;
  return { does: 'office', at: when, words: officeWords('edit', '--email', corrects), corrects };
};

/** The office says that letters arrive at her address again. */
export const arrivesAgain = (when: number): Deed => ({
  ...{ does: 'office', at: when, words: officeWords('address-works') },
  mends: true,
});
