import { lettersDue, traitOf } from '#server/letters/table.ts';
import { moneyLines, standingOf } from '#server/office/summary-words.ts';
import { type Situation, timelineOf } from '#server/office/timeline.ts';
import { moment, sentence, wordsOfState } from '#server/office/words.ts';
import {
  afterAct,
  canDecide,
  canUndo,
  type DecisionKind,
  decisionKinds,
  type HandOverStop,
  handOverStop,
  isRefundOrdered,
  type NewAct,
  type RegistrationRecord,
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

/** Why the state of a registration does not allow a decision now, and what does; undefined if it is allowed. */
export function refusesTo(kind: DecisionKind) {
  return ({ record, now }: Situation): string | undefined =>
    canDecide(record, kind, now) ? undefined : whyNot(record, kind, now);
}

const WHY_NOT: Readonly<Record<DecisionKind, string>> = {
  cancel: 'Only who has paid the deposit and has not cancelled can cancel: what is not paid is ended.',
  waived: 'This is decided after the deposit is paid or a place is held, while she has not cancelled.',
  check: 'This is decided after the deposit is paid, while something is left to pay.',
  held: 'A place is held for somebody who has not paid the deposit yet.',
  postponed: 'This is decided after the deposit is paid, while something is left to pay.',
  plan: 'This is decided after the deposit is paid, while something is left to pay.',
  planAgreed: 'She has agreed to her plan, or nothing is left to pay.',
  charge: 'A card is charged once the balance is due, while something is left to pay.',
  refund:
    'An exception is decided once the deposit is paid, and not while a cancellation waits to be carried out: take it back first.',
  checkSent: 'No check is owed to her: to give something back, decide on an exception.',
  disputeOver: 'Only what was paid can be disputed.',
  twoPeople: 'Nobody else with this name and address has a place.',
  handOver: 'It is being handed over already: take that back first.',
  handOverAgreed: 'Nothing waits for her to agree.',
};

function whyNot(record: RegistrationRecord, kind: DecisionKind, now: Date): string {
  const { plan, check } = record.decisions;
  if (kind === 'refund' && isRefundOrdered(record))
    return 'The exception that was decided before is not carried out yet: wait for it, or take it back.';
  if (kind === 'plan' || kind === 'planAgreed' || kind === 'postponed') {
    if (check) return 'She pays what is left by check: take that back first.';
    if (plan && kind === 'postponed') return 'She pays by a plan: give its parts other days.';
    if (!plan && kind === 'planAgreed') return 'No payment plan was made: make one first.';
  }
  const stop = kind === 'handOver' ? handOverStop(record, now) : undefined;
  return stop ? stopWords(record, stop) : WHY_NOT[kind];
}

function stopWords({ edition }: RegistrationRecord, stop: HandOverStop): string {
  const { handOverUntil = '' } = edition.facts;
  switch (stop) {
    case 'not-offered':
      return 'In this retreat no place can be handed over.';
    case 'too-late':
      return `A place could be handed over until ${moment(new Date(handOverUntil), { edition })}, and there is no way around that.`;
    case 'no-place':
      return 'Only a place that is paid for and not cancelled can be handed over.';
    case 'disputed':
      return 'A charge is disputed, and that must be over first.';
    case 'being-charged':
      return 'The balance is being charged at this moment: try it again in a few minutes.';
  }
}

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
