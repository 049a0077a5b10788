import type { Random } from '#scripts/drills/chaos/plan-faults.ts';
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
  /** The same, on the eve: the way in is told already. */
  eve: [moments.closes - 16 * HOUR_MS, moments.closes - 2 * HOUR_MS],
} as const;
type Phase = keyof typeof PHASES;

/** Test cards, by what they do off-session. */
export const CARDS = {
  good: '4242424242424242',
  other: '5555555555554444',
  /** Every charge without her wants her authentication. */
  authentication: '4000002760003184',
  /** What goes back to it is pending at first. */
  pendingRefund: '4000000000007726',
  /** What goes back to it comes back later. */
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

/** What is done in a life, and when. The clock stops at the moment of what `stops` it; else it is done soon after. */
export type Deed = { at: number; stops?: true } & (
  | { does: 'pay-now'; card?: keyof typeof CARDS }
  /** The others that she does on her page. */
  | { does: 'new-card' | 'cancel' | 'undo' }
  /** She asks for it on her page, and confirms it by the letter that it gets. */
  | { does: 'new-address'; corrects: string }
  /** A command of the office, whose PAYMENT_INTENT is her deposit. */
  | {
      does: 'office';
      words: (deposit: string) => readonly string[];
      corrects?: string;
      /** It says that letters arrive at her address again. */
      mends?: true;
    }
  /** Of her bank: a dispute of the deposit; and some time passes for what went back to her card. */
  | { does: 'dispute' | 'settle-refunds' }
);

/** For whom deeds are made. */
interface Doer {
  beganAt: number;
  email: string;
  edition: EditionLived;
  /** A number of chance from 0 up to 1. */
  chance: number;
  /** More of them. */
  draw: Random;
}

/** What comes back of a letter after the mail server took it. */
export interface Bounce {
  /** Of the first letter of a kind, by the name that lives use. */
  of: string;
  type: 'hard' | 'soft' | 'complaint';
  /** So long after it was taken the site is told. */
  afterMs: number;
  /** And once more, so long after it was taken. */
  againAfterMs?: number;
  /** It names her address, and no letter. */
  byAddress?: true;
}

/** How a registration goes on. */
export interface Life {
  /** Of a hundred. */
  share: number;
  phase: Phase;
  ending: Ending;
  /** What she is told after the welcome, and the office of her cancelling, each as often as it stands here. */
  letters: string;
  /** What may come, or be overtaken before it is sent. */
  maybe?: string;
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
  /**
   * US cents that go back to her card in all: so many, what the policy gives back of a balance that was paid, or what it
   * gives back by the moments at which she cancelled and was charged.
   */
  back?: number | 'policy' | 'by-moment';
  /** US cents that cancelling brings by check. */
  checkBack?: number;
  bounces?: (person: Doer) => readonly Bounce[];
  deeds?: (person: Doer) => readonly Deed[];
}

/** A life that is not drawn. */
export type LifeToLive = Omit<Life, 'share' | 'phase'>;

/** So many days after a moment. */
export const at = (base: number, days: number) => base + days * DAY_MS;

/** The day of the retreat's clock so many days after a moment. */
export const day = (base: number, days: number) => addDays(dateAt(new Date(base), timeZone), days);

/** A command of the office: its first word, what follows the deposit's ID, and who decides. */
export const office = (when: number, ...words: readonly string[]): Deed => ({
  does: 'office',
  at: when,
  words: officeWords(...words),
});

function officeWords(...[name = '', ...words]: readonly string[]) {
  return (deposit: string): readonly string[] => [name, deposit, ...words, '--by', 'Ada'];
}

/** A bounce of which the site is told at once, or within a while; now and then twice, or by the address alone. */
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

/** It says that letters arrive at her address again. */
export const arrivesAgain = (when: number): Deed => ({
  ...{ does: 'office', at: when, words: officeWords('address-works') },
  mends: true,
});
