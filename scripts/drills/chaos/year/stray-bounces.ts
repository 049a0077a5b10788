import type { Random } from '#scripts/drills/chaos/plan-faults.ts';
import { onSale } from './editions.ts';
import { arrivesAgain, bounce, type Deed, type Life } from './life.ts';
import type { Person } from './people.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The share among those whose balance is settled by then. */
const SHARE = 0.15;

const { testSession, wayIn } = onSale.retreat;

/** Letters about the retreat that bounce, and within how many hours somebody does something about it. */
const STRAYS = [
  { of: 'test-session', from: testSession.from, hours: 140 },
  { of: 'way-in', from: wayIn[0]?.from ?? 0, hours: 60 },
] as const;

/**
 * A letter about the retreat may bounce for anybody in whose life nothing else happens by then. Then she
 * corrects her address on her page, or the office hears that letters arrive again, or nobody does anything.
 */
export function withStrayBounce(person: Person, phase: Life['phase'], draw: Random): Person {
  const isSuited = (phase === 'early' || phase === 'soon') && isQuiet(person);
  const stray = STRAYS[draw() < 0.5 ? 0 : 1];
  const outcome = draw();
  const isStruck = draw() < SHARE;
  if (!isSuited || !isStruck) return person;
  const type = outcome < 0.1 ? 'soft' : outcome < 0.2 ? 'complaint' : 'hard';
  const returned = bounce(stray.of, draw, { type, withinMs: 5 * HOUR_MS });
  const at = stray.from + (12 + draw() * (stray.hours - 12)) * HOUR_MS;
  const bounced = { ...person, life: `${person.life}, bounces`, bounces: [returned] };
  if (outcome < 0.45) return bounced;
  if (outcome < 0.7) return { ...bounced, deeds: [...person.deeds, arrivesAgain(at)] };
  const corrects: Deed = { does: 'new-address', at, corrects: `own-${person.email}` };
  return {
    ...bounced,
    deeds: [...person.deeds, corrects],
    letters: [...person.letters, 'confirm-address'],
    // Letters that are still true are sent to the new address too.
    maybe: [...person.maybe, ...person.letters],
  };
}

/** Her balance is settled, and she does nothing that changes it or where her letters go. */
function isQuiet({ ending, bounces, deeds }: Person): boolean {
  const isSettled = ['charged', 'pays', 'check', 'waived'].includes(ending);
  const moves = deeds.some(
    (deed) =>
      ['cancel', 'dispute', 'new-address'].includes(deed.does) ||
      (deed.does === 'office' &&
        (deed.corrects !== undefined || deed.words('').some((word) => word === 'cancel'))),
  );
  return isSettled && bounces.length === 0 && !moves;
}
