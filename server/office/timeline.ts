import type { Announcements } from '#server/letters/announcements.ts';
import type { Message } from '#server/letters/messages.ts';
import { isFirstLetter } from '#server/letters/registration-letters.ts';
import { letterTable, openLetters, REGISTRATION_LETTERS, traitOf } from '#server/letters/table.ts';
import {
  type ActFacts,
  type ActKind,
  actSchemas,
  BALANCE,
  declineOn,
  factsOfAct,
  HOW_AGREED,
  notesOf,
  type RegistrationRecord,
  TAKEN_BACK,
  takenOff,
} from '#server/registration/registration.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { formatCents } from '#shared/money.ts';
import { contactFields } from './commands/inputs.ts';
import { type FoundLetter, letterName, letterStates, momentOfLetter } from './commands/letters.ts';
import { declineWords, moment, receivedWords, WAITING_LETTERS } from './words.ts';

/** A registration as it is on record, and what was announced to everybody of its edition. */
export interface Situation {
  record: RegistrationRecord;
  announced: Announcements;
  now: Date;
}

export interface Happening {
  at: Date;
  what: string;
  /** For the office only, so that it is not on the printed page. */
  isNote?: true;
  letter?: FoundLetter;
}

interface Acted {
  record: RegistrationRecord;
  act: RegistrationRecord['acts'][number];
}

type Words = { [Kind in ActKind]: ((facts: ActFacts<Kind>, acted: Acted) => string) | undefined };

/** What each act is called, after the name of who did it; undefined where it is not shown. */
const ACT_WORDS: Words = {
  consent: ({ version, spoken }) =>
    `${spoken ? 'she ' : ''}agreed to the terms, version ${version}${spoken ? `, ${HOW_AGREED[spoken.how]}` : ''}`,
  held: ({ way, until }, { record }) =>
    `holds her place until ${moment(until, record)}: she pays the deposit by ${way}`,
  waived: ({ as, reason }, { record, act }) => {
    const known = record.acts.filter(({ number }) => number <= act.number);
    const what = as === 'scholarship' ? 'gave a scholarship of' : 'took off';
    return `${what} ${formatCents(takenOff(known, record.ledger))} of the tuition${reason ? `: ${reason}` : ''}`;
  },
  check: () => 'she pays what is left by check or transfer',
  received: ({ way, on, number }, acted) =>
    `${receivedWords({ way, cents: cameBy(acted), ...(number !== undefined && { number }) })} came on ${moment(on, acted.record)}`,
  postponed: ({ until }, { record }) => `postponed the balance to ${moment(until, record)}`,
  plan: ({ paused }, { record, act }) => {
    const parts = record.ledger.installments.filter(({ madeBy, number }) => madeBy === act.id && number > 0);
    const listed = parts.map(({ cents, dueAt }) => `${formatCents(cents)} ${moment(dueAt, record)}`);
    const made = listed.length > 0 ? `, without a card fee: ${listed.join('; ')}` : '';
    return `planned her payments${made}${paused ? '; the plan is paused' : ''}`;
  },
  planAgreed: ({ how, on }, { record }) =>
    how && on
      ? `she agreed to the payment plan ${HOW_AGREED[how]} on ${moment(on, record)}`
      : 'agreed to the payment plan on her page',
  charge: () => 'has her card tried again',
  card: (card) => `her card is ${nameCard(card)} now`,
  'card-detached': () => 'her card was removed at Stripe',
  cancel: ({ whole, onPage, writtenAt }, { record }) =>
    whole
      ? 'gives all of it back: she has paid for another place'
      : `${onPage ? 'cancelled on her page' : 'she cancelled in writing'} on ${moment(writtenAt, record)}`,
  cancelled: (_, { record }) => {
    const { cents = 0, checkCents = 0 } = record.cancelled ?? {};
    const check = checkCents > 0 ? `, ${formatCents(checkCents)} by check` : '';
    return `the cancellation was carried out; ${formatCents(cents)} goes back by card${check}`;
  },
  refund: ({ reason }, { record, act }) => {
    const ordered = record.ledger.payouts.filter((one) => one.orderedBy === act.id && one.insteadOf === null);
    return `gives back ${sumOf(ordered)} as an exception: ${reason}`;
  },
  checkSent: ({ sentAt }, { record, act }) => {
    const sent = record.ledger.entries.filter(({ id }) => id.startsWith(`${act.id}-`));
    return `sent her a check of ${sumOf(sent, -1)} on ${moment(sentAt, record)}`;
  },
  disputeOver: () => 'the dispute is over',
  twoPeople: () => 'who has another place under her name and address is somebody else',
  handOver: ({ firstName, lastName, email }) => `hands the place over to ${firstName} ${lastName}, ${email}`,
  handOverAgreed: () => 'agreed to handing the place over',
  'handed-over': ({ firstName, lastName, email, at }, { record }) => {
    const taker = record.handedOver?.at.getTime() === at.getTime() ? record.registrant : undefined;
    const who = taker ? `${taker.firstName} ${taker.lastName}` : 'somebody else';
    return `${who} accepted the place; before it was that of ${firstName} ${lastName}, ${email}`;
  },
  corrected: ({ detail, was }) => {
    const what = detail === 'name' ? detail : contactFields[detail].label.toLowerCase();
    return `corrected the ${what}, which was ${was}`;
  },
  note: ({ text }, { record, act }) => {
    const note = notesOf(record).find(({ id }) => id === act.id);
    return `note ${note?.number}${note?.isTakenBack ? ', taken back' : `: ${text}`}`;
  },
  recovered: () => 'was added from Stripe, after a part of the register was lost',
  'looked-at': () => 'marked her payment as looked at',
  withdrawal: ({ why }, { record, act }) => {
    const undone = record.acts.find(({ id }) => id === act.undoes);
    if (!undone) return 'took something back';
    const what = wordsOfAct({ record, act: undone }) ?? '';
    return undone.kind === 'received'
      ? `does not count: ${what} (${TAKEN_BACK[why].toLowerCase()})`
      : `took back: ${what}`;
  },
  'deposit-failed': undefined,
  'card-failed': undefined,
  'proof-failed': undefined,
  hold: undefined,
  released: undefined,
  moved: undefined,
  'customer-fitted': undefined,
  'balance-asked': undefined,
  forgotten: undefined,
  scheduleTold: undefined,
  recordings: undefined,
  room: undefined,
  message: undefined,
  'message-stopped': undefined,
  'message-test': undefined,
};

const sumOf = (rows: readonly { cents: number; feeCents: number }[], sign = 1): string =>
  formatCents(sign * rows.reduce((sum, { cents, feeCents }) => sum + cents + feeCents, 0));

const cameBy = ({ record, act }: Acted): number =>
  record.ledger.entries.find(({ id }) => id === act.id)?.cents ?? 0;

const isActKind = (kind: string): kind is ActKind => Object.hasOwn(actSchemas, kind);

function wordsOfAct({ record, act }: Acted): string | undefined {
  const { kind } = act;
  return isActKind(kind) ? wordsOfKind(kind, { record, act }) : undefined;
}

function wordsOfKind<Kind extends ActKind>(kind: Kind, acted: Acted): string | undefined {
  return ACT_WORDS[kind]?.(factsOfAct(acted.act, kind), acted);
}

/** What happened to a registration, the oldest first, without its letters. */
export function timelineOf(record: RegistrationRecord): Happening[] {
  const happened: Happening[] = [{ at: record.begunAt, what: 'began to register' }];
  const add = (at: Date | undefined, what: string) => at && happened.push({ at: wholeSecond(at), what });
  for (const act of record.acts) {
    const what = wordsOfAct({ record, act });
    const undone = record.acts.find(({ id }) => id === act.undoes);
    if (what === undefined) continue;
    const isNote = (undone?.kind ?? act.kind) === 'note' && ({ isNote: true } as const);
    happened.push({ at: wholeSecond(act.happenedAt), what: `${act.byWhom}: ${what}`, ...isNote });
  }
  add(record.paidAt, `paid the deposit of ${formatCents(record.depositCents)}`);
  for (const { at } of record.notices) add(at, 'was told of the charge');
  for (const attempt of record.attempts) {
    const { at, code, try: number } = declineOn(attempt) ?? {};
    add(at, `try ${number} of her card was declined: ${declineWords(code)}`);
  }
  for (const { number, cents, paidAt } of record.balances)
    add(
      paidAt,
      `paid ${number === BALANCE ? 'the balance' : 'a part of the balance,'} of ${formatCents(cents)} by card`,
    );
  for (const { at, of, cents, status } of record.refunds)
    add(at, `${formatCents(cents)} of the ${of} ${REFUND_WORDS[status]}`);
  add(record.addressAsked?.at, `asked for the address ${record.addressAsked?.to}`);
  for (const at of new Set(record.answers.map((answer) => answer.at.getTime())))
    add(new Date(at), 'answered questions on her page');
  add(record.bounced?.at, 'a message to her came back, or she marked it as spam');
  add(record.bounced?.over, `${record.bounced?.by}: her address works again`);
  add(record.forgottenAt, 'her personal data were removed');
  return byMoment(happened);
}

/** The same with her letters, and those that are owed and not on the queue yet. */
export function timelineWithLetters(
  { record, now, announced }: Situation,
  letters: readonly FoundLetter[],
  messages: readonly Message[],
): Happening[] {
  const open = REGISTRATION_LETTERS.flatMap((kind) => openLetters(kind, record, now, announced));
  const toCome = open.filter(({ id }) => !letters.some((one) => one.id === id));
  return byMoment([
    ...timelineOf(record),
    ...letters.map((found): Happening => {
      const { letter, state } = found;
      const isToOffice = letter && letterTable[letter.kind].to === 'office';
      // It has no address any more once she is forgotten.
      const reader = isToOffice ? 'the office' : letter?.address;
      const to = reader ? ` to ${reader}` : '';
      const asked = letter?.askedBy === undefined ? '' : `, asked for by ${letter.askedBy}`;
      const what = `message “${letterName(letter, messages)}”${to} ${letterStates[state]}${asked}`;
      return { at: momentOfLetter(found), what, letter: found };
    }),
    ...toCome.map((letter): Happening => {
      const waits = record.letterWaits && isFirstLetter(letter);
      const what = waits ? WAITING_LETTERS : 'is owed: the site sends it automatically';
      return { at: now, what: `message “${traitOf(letter.kind, 'name')}” ${what}` };
    }),
  ]);
}

function byMoment(happened: readonly Happening[]): Happening[] {
  return happened.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

const REFUND_WORDS = {
  pending: 'is on its way back to her',
  succeeded: 'went back to her',
  failed: 'did not go back: her bank did not take it',
} as const;

/** The precision of the times from Stripe. */
function wholeSecond(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
