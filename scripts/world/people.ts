import { dateAt } from '#shared/dates.ts';
import type { Contact } from '#shared/registration.ts';
import { DAY_MS, type EditionLived, HOUR_MS, onSale } from './editions.ts';
import { type Anchors, type Card, type Deed, type Life, lifeOf, momentOf, type When } from './life.ts';
import { LIVES, type LifeName, lifeNames } from './lives.ts';
import { between, createRandom, type Random } from './random.ts';

/** A person who registers, and what happens then. Moments are in milliseconds of business time. */
export interface Person
  extends Contact,
    Pick<Life, 'card' | 'cardEnds' | 'consents' | 'ending' | 'checkBack'> {
  life: string;
  edition: EditionLived;
  postalCode: string;
  beganAt: number;
  /** Names of the letters after the welcome, each as often as it comes; and of those that may come. */
  letters: readonly string[];
  maybe: readonly string[];
  declines: readonly string[];
  /** With which fields the office registers her when she calls; none if she registers herself. */
  phone: readonly string[];
  depositCents: number;
  cents: number;
  /** The payments of the balance by card, in their order, if nothing is lost. */
  payments: readonly { cents: number; withoutHer: boolean }[];
  /** How often her card is tried without her, and what goes back to it; undefined where it depends on a race. */
  tries: number | undefined;
  back: number | undefined;
  deeds: readonly PlannedDeed[];
  bounces: readonly PlannedBounce[];
}

/** A deed of a person, with its moment. */
export interface PlannedDeed {
  at: number;
  stops: boolean;
  does: Deed['does'];
  card: Card;
  /** Of the office: the kind of its act, then its fields. */
  words: readonly string[];
  /** The address that it gives her. */
  corrects: string | undefined;
  /** It says that letters arrive at her address again. */
  mends: boolean;
}

/** A letter to a person that comes back. */
export interface PlannedBounce {
  of: string;
  /** When it is reported: at a moment, or so long after the letter. */
  at?: number;
  afterMs: number;
  /** How long after the letter the report is repeated. */
  againAfterMs?: number;
}

const { moments, lateMs } = onSale;

/** When a life begins: the balances of all registrations of one phase go the same way. */
const PHASES: Readonly<Record<Life['phase'], readonly [from: number, until: number]>> = {
  /** The same, before anything goes wrong: who calls is registered by one command. */
  first: [moments.opens, moments.opens + DAY_MS],
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
};

const yearLives = lifeNames.filter((name) => LIVES[name].share > 0);
/** How many it takes for one of each life. */
export const LEAST_PEOPLE = yearLives.length;

const PAYING_SHARE = 0.8;
/** Nobody's balance comes up: the clock is not moved. */
const PAYS_DEPOSIT = lifeOf([{ ending: 'unpaid', letters: '' }]);
const NEVER_PAYS = lifeOf([{ ending: 'never-registered', letters: '' }]);

/** Draws people for the year: one of each life first, then by their shares. */
export function drawPeople(random: Random, count: number): Person[] {
  return Array.from({ length: count }, (_, number) => {
    const name = yearLives[number] ?? drawLife(random);
    const life = LIVES[name];
    const beganAt = between(random, ...PHASES[life.phase]);
    return personOf(number, name, life, beganAt, { chance: random() });
  });
}

/** Draws visitors, of whom about four in five pay the deposit. */
export function drawVisitors(random: Random, count: number): Person[] {
  return Array.from({ length: count }, (_, number) =>
    random() < PAYING_SHARE
      ? personOf(number, 'pays the deposit', PAYS_DEPOSIT, 0, { chance: random() })
      : personOf(number, 'never pays', NEVER_PAYS, 0, { chance: random() }),
  );
}

function drawLife(random: Random): LifeName {
  let left = random() * yearLives.reduce((sum, name) => sum + LIVES[name].share, 0);
  for (const name of yearLives) {
    left -= LIVES[name].share;
    if (left < 0) return name;
  }
  return 'charged';
}

/** So many people for each of some lives, each with details of her own. */
export function peopleLiving(each: number, lives: readonly LifeBegun[]): Person[] {
  return lives.flatMap(({ name, life, beganAt, edition }, group) =>
    Array.from({ length: each }, (_, place) =>
      personOf(group * each + place, name, life, beganAt, { edition }),
    ),
  );
}

/** A life that begins at a moment, of an edition that is the one on sale by default. */
interface LifeBegun {
  name: string;
  life: Life;
  beganAt: number;
  edition?: EditionLived;
}

/** Makes a person with unique details from her number. */
export function personOf(
  number: number,
  name: string,
  life: Life,
  beganAt: number,
  { edition = onSale, chance = 0 }: { edition?: EditionLived | undefined; chance?: number } = {},
): Person {
  const { card, cardEnds, consents, ending, checkBack } = life;
  const contact = contactOf(number);
  const { email } = contact;
  const anchors = { ...edition.moments, began: beganAt };
  // Of its own, so that the bounces of one change nobody else's life.
  const draw = createRandom(Math.floor(chance * 2 ** 31));
  const back = life.back === 'policy' ? edition.backCents : life.back;
  const payments = paymentsOf(life, edition);
  return {
    ...contact,
    life: name,
    edition,
    postalCode: String(10_000 + number),
    beganAt,
    card,
    cardEnds,
    consents,
    ending,
    checkBack,
    phone: wordsOf(life.phone, anchors, edition),
    depositCents: life.deposit ?? edition.depositCents,
    payments,
    letters: namesIn(life.letters),
    maybe: namesIn(life.maybe),
    declines: namesIn(life.declines),
    cents: life.cents ?? edition.balanceCents,
    tries:
      life.tries === 'either'
        ? undefined
        : (life.tries ?? payments.filter(({ withoutHer }) => withoutHer).length),
    back: back === 'by-moment' ? undefined : back,
    deeds: life.deeds.map((deed) => planned(deed, anchors, { email, chance, edition })),
    bounces: life.bounces.map(({ of, at, withinHours }) =>
      at ? { of, at: momentOf(at, anchors), afterMs: 0 } : bounce(of, withinHours, draw),
    ),
  };
}

/** Words between spaces; what is in quotation marks belongs to one. */
const namesIn = (text: string): string[] =>
  (text.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ''));

function paymentsOf({ parts, ending, cents }: Life, edition: EditionLived): Person['payments'] {
  const all = [...parts.matchAll(/(charged|pays) (\d+)/g)];
  if (all.length > 0)
    return all.map(([, how, sum]) => ({ cents: Number(sum), withoutHer: how === 'charged' }));
  const isByCard = ['charged', 'pays', 'charged-or-cancelled'].includes(ending);
  return isByCard ? [{ cents: cents ?? edition.balanceCents, withoutHer: ending !== 'pays' }] : [];
}

const wordsOf = (text: string, anchors: Anchors, edition: EditionLived): string[] =>
  namesIn(text.replace(/\{([^}]+)\}/g, (_, when: When) => dayOf(momentOf(when, anchors), edition)));

function planned(
  deed: Deed,
  anchors: Anchors,
  { email, chance, edition }: { email: string; chance: number; edition: EditionLived },
): PlannedDeed {
  const { does, stops, until = deed.at } = deed;
  const at = momentOf(deed.at, anchors) + chance * (momentOf(until, anchors) - momentOf(deed.at, anchors));
  const corrected = does === 'office' && deed.words.includes('{address}') ? `new-${email}` : undefined;
  const sister = `sister-${email}`;
  const said =
    does !== 'office' ? '' : deed.words.replace('{address}', corrected ?? '').replace('{sister}', sister);
  return {
    at,
    stops,
    does,
    card: does === 'office' ? 'other' : deed.card,
    words: wordsOf(said, anchors, edition),
    corrects: does === 'new-address' ? `own-${email}` : does === 'take-place' ? sister : corrected,
    mends: said.startsWith('address-works'),
  };
}

const dayOf = (at: number, { timeZone }: EditionLived): string => dateAt(new Date(at), timeZone);

/** It is reported at once or within a while; now and then twice. */
function bounce(of: string, withinHours: number, draw: Random): PlannedBounce {
  const [isLate, isRepeated] = [draw() < 0.5, draw() < 0.3];
  const afterMs = isLate ? draw() * withinHours * HOUR_MS : 0;
  return { of, afterMs, ...(isRepeated && { againAfterMs: afterMs + draw() * DAY_MS }) };
}

/** Where her letters go, before or after her address was corrected. */
export function addressOf({ deeds, email }: Person, corrected: boolean): string {
  const changed = deeds.find(({ corrects }) => corrects !== undefined)?.corrects;
  return corrected && changed ? changed : email;
}

/** All addresses to which her letters ever go. */
export function addressesOf(person: Person): string[] {
  return [...new Set([addressOf(person, false), addressOf(person, true)])];
}

/** Matches something in every visitor's details; must match nothing in a log. */
export const VISITOR_MARKS = /quillfeather|marrowby|visitors\.example|visitors%2Eexample|30[ -]?5550[ -]?1/i;

/** Unique details for each number. */
export function contactOf(number: number): Contact {
  const digits = String(number).padStart(6, '0');
  return {
    firstName: `Quillfeather${digits}`,
    lastName: `Marrowby${digits}`,
    email: `guest-${digits}@visitors.example`,
    phoneNumber: `+49 30 5550 1${digits}`,
  };
}
