import { lettersDue, traitOf } from '#server/letters/table.ts';
import { moneyLines, standingOf } from '#server/office/summary-words.ts';
import { type Situation, timelineOf } from '#server/office/timeline.ts';
import { moment, sentence, wordsOfState } from '#server/office/words.ts';
import {
  afterAct,
  canUndo,
  decisionKinds,
  type NewAct,
  owingStates,
  type RegistrationRecord,
  type RegistrationState,
  stateOf,
  undoUntil,
} from '#server/registration/registration.ts';
import { recordActs } from '#server/stripe/decide.ts';
import { withUtcOffset } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import {
  type Call,
  commandsAbout,
  type Fields,
  type InputOf,
  impossible,
  type Said,
  type Spec,
} from './command.ts';

/** What somebody says on the phone, under which the page of a registration offers its commands. */
export const groups = {
  pays: 'She pays otherwise',
  absent: 'She cannot come',
  details: 'Her details changed',
  talk: 'She wants to talk, or to see her page',
  over: 'Something is over, or was a mistake',
  support: 'For support',
} as const;

/** A note or a payment may come in between that the preview does not show. */
export const registrationCommand = commandsAbout<Situation>(({ record }) => [record.id, record.version]);

interface EventSpec<Takes extends Fields<Situation>> extends Omit<Spec<Takes, Situation>, 'plan' | 'group'> {
  group: keyof typeof groups;
  events(about: Situation, input: InputOf<Takes>): readonly Omit<NewAct, 'at' | 'by'>[];
  warns?(call: Call<Situation>, input: InputOf<Takes>): readonly Said[] | Promise<readonly Said[]>;
}

/** Makes a command that puts acts on record, and nothing else: all that follows from them is shown before. */
export function eventCommand<const Takes extends Fields<Situation>>({
  events,
  warns,
  ...spec
}: EventSpec<Takes>) {
  return registrationCommand<Takes>({
    ...spec,
    async plan(call, input) {
      const { about, by, context } = call;
      const acts = events(about, input).map((event) => ({ ...event, at: about.now, by }));
      const letters = await context.letterLog.about(about.record.id);
      return {
        says: [...previewOf(about, acts, letters), ...((await warns?.(call, input)) ?? [])],
        async carryOut() {
          await context.payments.ask(recordActs, about.record, acts);
        },
      };
    },
  });
}

type Compared = readonly [name: string, now: string, then: string];

/** What acts would do, before they are recorded. @param recorded the letters that are on record */
function previewOf(
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

/** Refuses unless a registration is in one of these states. */
export function onlyIn(states: readonly RegistrationState[], why: string) {
  return ({ record, now }: Situation): string | undefined =>
    states.includes(stateOf(record, now)) ? undefined : why;
}

export const whileOwing = onlyIn(
  owingStates,
  'This is decided after the deposit is paid, while something is left to pay.',
);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export function localMoment({ edition }: Pick<RegistrationRecord, 'edition'>, text: string): Date {
  const local = text.includes('T') ? text : `${text}T00:00`;
  return new Date(withUtcOffset(local, edition.timetable.timeZone.id));
}

/** The end of a day in the retreat's time zone: the day has 23 or 25 hours when the clocks change. */
export function dayEnd(record: Pick<RegistrationRecord, 'edition'>, day: string): Date {
  return localMoment(record, new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10));
}

/** A moment that is past, and not before she registered: the year may be mistyped. */
export function pastMoment({ record, now }: Situation, text: string, what: string): Date {
  const at = localMoment(record, text);
  if (at > now) throw impossible(`${what} in the future.`);
  const ended = text.includes('T') ? new Date(at.getTime() + MINUTE_MS) : dayEnd(record, text);
  if (ended <= record.begunAt)
    throw impossible(`She registered later, on ${moment(record.begunAt, record)}.`);
  return at;
}
