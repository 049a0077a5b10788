import { createRandom } from '#scripts/drills/chaos/plan-faults.ts';
import { contactOf } from '#scripts/drills/chaos/visitors.ts';
import type { Contact } from '#shared/registration.ts';
import { type EditionLived, onSale } from './editions.ts';
import { type Bounce, CARDS, type Deed, type Ending, type Life, type LifeToLive } from './life.ts';

/** A person who registers, and what happens then. */
export interface Person extends Contact {
  life: string;
  edition: EditionLived;
  postalCode: string;
  /** In business time. */
  beganAt: number;
  ending: Ending;
  /** Kinds of the letters after the welcome, each as often as it comes; and of those that may come. */
  letters: readonly string[];
  maybe: readonly string[];
  cents: number;
  /** What goes back to her card; undefined where that depends on which event comes first. */
  back: number | undefined;
  checkBack: number;
  card: string;
  /** Whether her card expires with the month in which she registers. */
  cardEnds: boolean;
  consents: boolean;
  declines: readonly string[];
  tries: number | undefined;
  /** Bounces of the first letters of their kinds. */
  bounces: readonly Bounce[];
  deeds: readonly Deed[];
}

/**
 * The letters from the welcome on, by the names that lives use; lives do not list the letters about the
 * retreat itself.
 */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['welcome', 'welcome'],
  ['notice', 'balance-notice'],
  ['postponed', 'balance-postponed'],
  ['reminder', 'balance-reminder'],
  ['please-pay', 'please-pay'],
  ['expires', 'card-expires'],
  ['failed', 'balance-failed'],
  ['paid', 'balance-paid'],
  ['received', 'cancel-received'],
  ['office-cancel', 'office-cancel'],
  ['undone', 'cancel-undone'],
  ['office-undone', 'office-cancel-undone'],
  ['cancelled', 'cancelled'],
  ['refund-failed', 'refund-failed'],
  ['refund-made', 'refund-made'],
  ['confirm', 'confirm-address'],
  ['changed', 'address-changed'],
  ['test-session', 'test-session'],
  ['way-in', 'way-in'],
]);
export const kindsOf = (letters: string) => letters.split(' ').flatMap((letter) => KINDS.get(letter) ?? []);

/** Makes a person with unique details from her number. */
export function personOf(
  number: number,
  name: string,
  life: LifeToLive,
  beganAt: number,
  { edition = onSale, chance = 0 }: { edition?: EditionLived; chance?: number } = {},
): Person {
  const contact = contactOf(number);
  const doer = { beganAt, email: contact.email, edition, chance };
  // Bounces are drawn by a random generator of their own, so that they change nobody else's life.
  const drawn = () => ({ ...doer, draw: createRandom(Math.floor(chance * 2 ** 31)) });
  return {
    ...contact,
    life: name,
    edition,
    postalCode: String(10_000 + number),
    beganAt,
    ending: life.ending,
    letters: kindsOf(life.letters),
    maybe: kindsOf(life.maybe ?? ''),
    cents: life.cents ?? edition.balanceCents,
    back: backOf(life.back ?? 0, edition),
    checkBack: life.checkBack ?? 0,
    card: CARDS[life.card ?? 'good'],
    cardEnds: life.cardEnds ?? false,
    consents: !life.isWithoutConsent,
    declines: life.declines ?? [],
    tries: life.tries,
    bounces: (life.bounces?.(drawn()) ?? []).map((one) => ({ ...one, of: kindsOf(one.of).join() })),
    deeds: life.deeds?.(drawn()) ?? [],
  };
}

function backOf(back: NonNullable<Life['back']>, { backCents }: EditionLived): number | undefined {
  if (back === 'by-moment') return undefined;
  return back === 'policy' ? backCents : back;
}

/** Where her letters go, before or after her address was corrected. */
export function addressOf({ deeds, email }: Person, corrected: boolean): string {
  const [changed] = deeds.flatMap((deed) => ('corrects' in deed && deed.corrects ? [deed.corrects] : []));
  return corrected && changed ? changed : email;
}

/** All addresses to which her letters ever go. */
export function addressesOf(person: Person): string[] {
  return [...new Set([addressOf(person, false), addressOf(person, true)])];
}
