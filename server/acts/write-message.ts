import {
  LINK,
  messageId,
  messageLetter,
  SAMPLE_NAME,
  type Unwritten,
  whyUnwritten,
} from '#server/letters/message.ts';
import { linksEndAt } from '#server/links/own-page-links.ts';
import type { MailOf } from '#server/mail/job.ts';
import { oweLetters, queueAnew } from '#server/mail/queue.ts';
import type { MessageLetter } from '#server/payments/messages.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { type Group, isInGroup } from '#server/register/listed.ts';
import { folded } from '#server/service/folded.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { ActContext } from './act-context.ts';
import { inTurns } from './announced-people.ts';
import { type Asked, carryOut, recordedFor, type Said, type Told } from './carry-out.ts';
import { moment, people } from './plain-words.ts';
import { Refusal } from './refusal.ts';

/** The groups of the list to which the office can write, the usual one first, with the list's own names. */
const audiences = {
  registered: 'Registered: all who have a place',
  paid: 'Paid in full',
  due: 'Due later: who has a balance to pay',
  late: 'Late: whose balance is overdue',
  'by-check': 'By check',
  waived: 'Waived',
  unpaid: 'Deposit not paid',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  all: 'All: also who has cancelled, or not paid',
} as const satisfies Partial<Record<Group, string>>;
export type Audience = keyof typeof audiences;

export const isAudience = (group: unknown): group is Audience =>
  typeof group === 'string' && Object.hasOwn(audiences, group);
export const audienceNames = Object.keys(audiences).filter(isAudience);

/** The words for a group; another release may know others. */
export const audienceWords = (group: string): string => (isAudience(group) ? audiences[group] : group);

/** What the office writes. */
export interface Writing {
  to: Audience;
  subject: string;
  text: string;
}

/** Why nobody can write to an edition's registrants, as a sentence; undefined if the office can. */
export function whyNoMessage({ facts }: Edition, now: Date): string | undefined {
  return now < linksEndAt(facts) ? undefined : 'The pages of registrants are closed by now.';
}

const LETTERS = 'Letters';

/** How many people one slice queues: more would keep other requests waiting for Redis. */
const QUEUED_AT_ONCE = 500;

/**
 * Writes to everybody who is in a group of the list now. Nobody gets the same words twice: to send them once more reaches
 * those who have not had them.
 * @throws {Refusal} when nobody would get the letter
 */
export async function writeMessage(
  context: ActContext,
  edition: Edition,
  { to, subject, text }: Writing,
  asked: Asked,
): Promise<Told> {
  const [register, now] = [await context.openRecord(), await context.now()];
  const why = whyNoMessage(edition, now);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const message = messageId(edition, subject, text);
  const written = { message, subject, text, to };
  const { letters, had, leftOut } = await findReaders(context, edition, written, now);
  if (letters.length === 0)
    throw new Refusal(
      'wrongState',
      had > 0
        ? 'Everybody among these people has had this very letter, or is to get it: nobody is left.'
        : 'There is nobody among these people whom a letter would reach.',
    );
  const says: Said[] = [
    {
      facts: [
        ['To', audienceWords(to)],
        [LETTERS, String(letters.length)],
        ...(had > 0 ? [['Had it before', `${had}: they do not get it again`]] : []),
        ...leftOut.map(([reason, count]) => ['Left out', `${count}: ${LEFT_OUT[reason]}`]),
        ['ID', message],
      ],
    },
    `${people(letters.length)} ${letters.length === 1 ? 'gets' : 'get'} this letter, one each, within ${duration(letters.length / context.mailPerSecond)}. Letters about money, and to one person, go before it.`,
    'Who is not among them any more when her letter’s turn comes, for example because she has cancelled or paid meanwhile, does not get it. You can stop it at any time: what is not sent by then is not sent.',
    text.includes(LINK) && to === 'all' ? 'Who has not paid has no page: her button leads to the site.' : '',
    `This is the letter, as somebody reads it whose name is ${SAMPLE_NAME}.`,
    { letter: context.readingOf(sampleLetter(edition, written)) },
  ];
  const restsOn = [edition.facts.id, to, letters.map(({ paymentIntentId }) => paymentIntentId)];
  return carryOut(asked, { says, restsOn }, async () => {
    const owed = await register.sendMessage(edition, written, letters, { at: now, by: asked.by });
    return [recordedFor(asked.by), ...(await queueAll(context, owed))];
  });
}

/** How many people get a letter, as a button says it. */
export function readersIn({ says }: Pick<Told, 'says'>): string {
  const facts = says.flatMap((said) => (typeof said === 'object' && 'facts' in said ? said.facts : []));
  const [, count = ''] = facts.find(([name]) => name === LETTERS) ?? [];
  return count === '1' ? 'one person' : `${count} people`;
}

/** Queues letters that are owed. What cannot be queued now the worker queues minutes later. */
async function queueAll({ queue }: ActContext, ids: readonly string[]): Promise<string[]> {
  try {
    for (let at = 0; at < ids.length; at += QUEUED_AT_ONCE) {
      const some = ids.slice(at, at + QUEUED_AT_ONCE);
      await queueAnew(
        queue,
        some.map((id) => ({ kind: 'message', id, again: false })),
      );
    }
    return [];
  } catch {
    return ['The queue of letters does not answer now: the letters go out minutes after it does.'];
  }
}

/** Why somebody in the group does not get the letter. */
type LeftOut = Unwritten | 'twice';

const LEFT_OUT: Readonly<Record<LeftOut, string>> = {
  'no-address': 'their personal data were removed',
  bounced: 'letters to their addresses come back',
  withheld: 'they have not paid, and too many letters went to such addresses',
  twice: 'they are on the list with another registration',
};

interface Readers {
  letters: readonly MailOf<'message'>[];
  /** How many have had it, or are to get it. */
  had: number;
  leftOut: readonly (readonly [LeftOut, number])[];
}

async function findReaders(
  context: ActContext,
  edition: Edition,
  { to, ...written }: Writing & { message: string },
  now: Date,
): Promise<Readers> {
  const register = await context.openRecord();
  const before = await register.readMessageLetters(written.message);
  const hadIt = new Set(before.flatMap(({ subject, state }) => (state === 'dropped' ? [] : subject)));
  const haveHadIt = new Set<string>();
  const standings: { record: RegistrationRecord; isMeant: boolean; hasPlace: boolean }[] = [];
  await inTurns(await context.list(edition), (record) => {
    if (hadIt.has(record.id)) haveHadIt.add(personOf(record));
    const [isMeant, hasPlace] = [isIn(record, to, now), isIn(record, 'registered', now)];
    if (isMeant || hasPlace) standings.push({ record, isMeant, hasPlace });
  });
  const letters: MailOf<'message'>[] = [];
  const leftOut = new Map<LeftOut, number>();
  const known = new Set<string>();
  let had = 0;
  // Of two registrations of one person, that with the place counts.
  for (const { record, isMeant } of standings.toSorted(placesFirst)) {
    const person = personOf(record);
    const isKnown = known.has(person);
    known.add(person);
    if (!isMeant) continue;
    const reason = whyUnwritten(record) ?? (isKnown ? 'twice' : undefined);
    const letter = messageLetter(record, { ...written, groups: [to] });
    if (reason) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    else if (haveHadIt.has(person)) had += 1;
    else if (letter) letters.push(letter);
  }
  return { letters, had, leftOut: [...leftOut] };
}

const placesFirst = (one: { hasPlace: boolean }, other: { hasPlace: boolean }): number =>
  Number(other.hasPlace) - Number(one.hasPlace);

/** What cannot be listed is in no group: the worker reports it. */
function isIn(record: RegistrationRecord, group: Group, now: Date): boolean {
  try {
    return isInGroup(record, group, now);
  } catch {
    return false;
  }
}

function personOf({ registrant: { firstName, lastName, email } }: RegistrationRecord): string {
  return `${email.toLowerCase()} ${folded(`${firstName} ${lastName}`)}`;
}

function sampleLetter(
  { facts }: Edition,
  { to, ...written }: Writing & { message: string },
): MailOf<'message'> {
  return {
    ...{ kind: 'message', ...written, groups: [to], ...(to !== 'unpaid' && { hasPage: true }) },
    ...{ paymentIntentId: 'pi_preview', edition: facts.id, firstName: SAMPLE_NAME, lastName: '' },
    ...{ email: 'somebody@example.org', phoneNumber: '', timeZone: '' },
  };
}

/**
 * Sends a letter to the office itself, marked as a test, as the sample reader would get it. Returns a sentence.
 * @throws {Error} when it can be neither recorded nor queued
 */
export async function testMessage(
  context: ActContext,
  edition: Edition,
  { subject, text }: Pick<Writing, 'subject' | 'text'>,
  by: string,
): Promise<string> {
  const [register, letterLog, now] = [
    await context.openRecord(),
    await context.openLetterLog(),
    await context.now(),
  ];
  const letter = await register.testMessage(edition, { subject, text }, { at: now, by });
  await oweLetters([letter], { queue: context.queue, letterLog, now });
  return 'A test is on its way to the office’s own address. Nobody else gets it.';
}

/**
 * Stops a letter to many: what is not sent yet is not sent.
 * @throws {Refusal} when there is no such letter, or nothing of it is left to stop
 */
export async function stopMessage(
  context: ActContext,
  edition: Edition,
  id: string,
  asked: Asked,
): Promise<Told> {
  const register = await context.openRecord();
  const message = (await register.readMessages(edition)).find((one) => one.message === id);
  if (!message) throw new Refusal('noSuchMail', `There is no message ${id} about ${edition.facts.id}.`);
  const { stopped, subject } = message;
  if (stopped)
    throw new Refusal(
      'wrongState',
      `It was stopped on ${moment(stopped.at, { edition })} by ${stopped.by}: nothing more of it is sent.`,
    );
  const count = (letters: readonly MessageLetter[], state: MessageLetter['state']) =>
    letters.filter((one) => one.state === state).length;
  const letters = await register.readMessageLetters(id);
  const waiting = count(letters, 'owed');
  if (waiting === 0) throw new Refusal('wrongState', 'Nothing of it waits: there is nothing to stop.');
  // How many were sent changes by the second: the press rests on the letter alone.
  const says: Said[] = [
    `“${subject}” is stopped: ${peopleHave(waiting)} not had it, and will not get it.`,
    `${peopleHave(count(letters, 'sent'))} had it already. A letter that is being sent in this moment still goes out.`,
    'To send the same words once more later reaches those who have not had them.',
  ];
  return carryOut(asked, { says, restsOn: [id] }, async () => {
    const at = await context.now();
    const dropped = await register.stopMessage(edition, id, { at, by: asked.by });
    const stoppedNow = dropped === 1 ? 'One letter was' : `${dropped} letters were`;
    return [`${stoppedNow} stopped.`, recordedFor(asked.by)];
  });
}

/** Somebody to whom a letter of a message did not come. */
export interface Unreached {
  deposit: string;
  name: string;
}

/** What has become of the letters of a message. */
export interface MessageProgress {
  sent: number;
  waiting: number;
  /** Not due any more, stopped, or dismissed. */
  notSent: number;
  /** They will not be sent unless somebody acts. */
  failed: readonly Unreached[];
  /** They were sent, and came back. */
  bounced: readonly Unreached[];
}

/**
 * @param records of the edition
 * @param failed the ids of the letters that failed for good
 */
export function messageProgress(
  letters: readonly MessageLetter[],
  records: ReadonlyMap<string, RegistrationRecord>,
  failed: ReadonlySet<string>,
): MessageProgress {
  const named = (some: readonly MessageLetter[]): Unreached[] =>
    some.map(({ subject: deposit }) => {
      const { firstName = '', lastName = '' } = records.get(deposit)?.registrant ?? {};
      return { deposit, name: `${firstName} ${lastName}`.trim() };
    });
  const owed = letters.filter(({ state }) => state === 'owed');
  const sent = letters.filter(({ state }) => state === 'sent');
  const hasFailed = owed.filter(({ id }) => failed.has(id));
  const cameBack = sent.filter(({ subject, endedAt }) => {
    const record = records.get(subject);
    if (!record?.bounced || whyUnwritten(record) !== 'bounced') return false;
    return endedAt !== null && record.bounced.at >= new Date(endedAt);
  });
  return {
    sent: sent.length,
    waiting: owed.length - hasFailed.length,
    notSent: letters.length - owed.length - sent.length,
    failed: named(hasFailed),
    bounced: named(cameBack),
  };
}

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** How long it takes to send letters at the rate of the provider, rounded up. */
export function duration(seconds: number): string {
  if (seconds <= MINUTE_S) return 'about a minute';
  if (seconds <= 2 * HOUR_S) return `about ${Math.ceil(seconds / MINUTE_S)} minutes`;
  return `about ${Math.ceil(seconds / HOUR_S)} hours`;
}

const peopleHave = (count: number): string => `${people(count)} ${count > 1 ? 'have' : 'has'}`;
