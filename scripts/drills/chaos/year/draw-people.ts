import { between, type Random } from '#scripts/drills/chaos/plan-faults.ts';
import { type Life, PHASES } from './life.ts';
import { LIVES } from './lives.ts';
import { type Person, personOf } from './people.ts';
import { withStrayBounce } from './stray-bounces.ts';

type LifeName = keyof typeof LIVES;
const names = Object.keys(LIVES) as LifeName[];

/** How many it takes for one of each life. */
export const LEAST_PEOPLE = names.length;

/** Draws people: one of each life first, then by their shares. */
export function drawPeople(random: Random, count: number): Person[] {
  return Array.from({ length: count }, (_, number) => {
    const name = names[number] ?? drawLife(random);
    const life: Life = LIVES[name];
    const beganAt = between(random, ...PHASES[life.phase]);
    const person = personOf(number, name, life, beganAt, { chance: random() });
    return withStrayBounce(person, life.phase, random);
  });
}

function drawLife(random: Random): LifeName {
  let left = random() * names.reduce((sum, name) => sum + LIVES[name].share, 0);
  for (const name of names) {
    left -= LIVES[name].share;
    if (left < 0) return name;
  }
  return 'charged';
}
