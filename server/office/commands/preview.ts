import { lettersDue, traitOf } from '#server/letters/table.ts';
import { wordsOfState } from '#server/office/state-words.ts';
import { moneyLines, standingOf } from '#server/office/summary-words.ts';
import { timelineOf } from '#server/office/timeline.ts';
import { moment, sentence } from '#server/office/words.ts';
import {
  afterAct,
  canUndo,
  decisionKinds,
  type NewAct,
  type RegistrationRecord,
  stateOf,
  undoUntil,
} from '#server/registration/registration.ts';
import { formatCents } from '#shared/money.ts';
import type { Said } from './command.ts';
import type { Situation } from './situation.ts';

type Compared = readonly [name: string, now: string, then: string];

/**
 * What acts would do, before they are recorded: what is put on record, how the registration and its money stand now and then,
 * the messages that go out, and whether it can be taken back.
 * @param recorded the letters that are on record
 * @throws {LedgerRefusal} when one is not possible now
 */
export function previewOf(
  { record, now, announced }: Situation,
  acts: readonly NewAct[],
  recorded: readonly { id: string }[],
): readonly Said[] {
  const after = acts.reduce(afterAct, record);
  const happened = new Set(timelineOf(record).map(({ what }) => what));
  const known = new Set([...recorded, ...lettersDue(record, now, announced)].map(({ id }) => id));
  const compared = differences(record, after, now);
  return [
    ...timelineOf(after).flatMap(({ what }) => (happened.has(what) ? [] : ended(sentence(what)))),
    compared.length > 0 ? { compared } : '',
    ...lettersDue(after, now, announced)
      .filter(({ id }) => !known.has(id))
      .map(({ kind, toOffice, address }) => {
        const to = toOffice ? 'the office' : address;
        return `A message goes to ${to}: “${traitOf(kind, 'name')}”.`;
      }),
    undoWords(after, acts, now),
  ];
}

/** What somebody wrote, such as a note, may have its full stop already. */
const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

function differences(record: RegistrationRecord, after: RegistrationRecord, now: Date): Compared[] {
  const rows: Compared[] = [
    ['State', wordsOfState(stateOf(record, now)), wordsOfState(stateOf(after, now))],
    ['What comes next', standingOf(record, now).join(' '), standingOf(after, now).join(' ')],
  ];
  const [before, then] = [moneyOf(record, now), moneyOf(after, now)];
  const names = [...new Set([...then.keys(), ...before.keys()])];
  const sums = names.map((name): Compared => [name, before.get(name) ?? '', then.get(name) ?? '']);
  const isDifferent = ([, one, other]: Compared): boolean => one !== other;
  return [...rows.filter(isDifferent), ...(sums.some(isDifferent) ? sums : [])];
}

/** The sums by the lines of the statement; of lines that read the same, all sums. */
function moneyOf(record: RegistrationRecord, now: Date): ReadonlyMap<string, string> {
  const sums = new Map<string, string>();
  for (const { what, how, cents } of moneyLines(record, now)) {
    const [name, sum] = [`${what}, ${how}`, formatCents(cents)];
    const known = sums.get(name);
    sums.set(name, known === undefined ? sum : `${known}, ${sum}`);
  }
  return sums;
}

function undoWords(after: RegistrationRecord, acts: readonly NewAct[], now: Date): string {
  const { kind } = acts.at(-1) ?? {};
  if (kind === 'cancel') {
    const until = undoUntil(after);
    if (until) return `It can be taken back until ${moment(until, after)}.`;
  }
  if (kind === 'received' || kind === 'note') return 'It can be taken back.';
  const decision = decisionKinds.find((one) => one === kind);
  return decision && canUndo(after, decision, now) ? 'It can be taken back.' : 'It cannot be taken back.';
}
