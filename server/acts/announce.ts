import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Announcement,
  type AnnouncementKind,
  type Announcements,
  announce,
  readAnnouncements,
} from '#server/letters/announcements.ts';
import { type AnnouncedToAll, endOf, type Said as LetterSaid, mailOf } from '#server/letters/letter-kind.ts';
import type { Writing } from '#server/letters/render/parts.ts';
import {
  type AnnouncedLetter,
  allAnnounced,
  announcedWords,
  awaitsRecordings,
} from '#server/letters/retreat-letters.ts';
import {
  isSentOrDismissed,
  type LetterName,
  lettersDue,
  lettersNow,
  letterTable,
} from '#server/letters/table.ts';
import { type Message, readMessages } from '#server/mail/messages.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { linksEndAt } from '#server/registration/links.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { registrationsOf } from '#server/worker/registration-list.ts';
import type { Edition } from '#shared/content/edition.ts';
import {
  type ActContext,
  type ActSpec,
  actsAbout,
  askWorker,
  carryOut,
  type Fields,
  type GivenBy,
  impossible,
  recordedFor,
  refuseIf,
  type Said,
} from './act.ts';
import { announcedUrl } from './given.ts';
import { STATES } from './mail-jobs.ts';
import { moment, peopleDo } from './words.ts';

const peopleGet = (count: number): string => peopleDo(count, 'gets a message', 'get a message');

/** An edition, and what has been announced to everyone who comes to it. */
export interface Announcing {
  edition: Edition;
  announced: Announcements;
  /** The letters that the office wrote, the newest first. */
  messages: readonly Message[];
  now: Date;
}

/** What the acts by which the office writes to many are based on, read now. */
export async function findAnnouncing(
  edition: Edition,
  payments: Pick<Payments, 'database'>,
  now: Date,
): Promise<Announcing> {
  const announced = await readAnnouncements(payments, edition);
  return { edition, announced, messages: await readMessages(payments, edition), now };
}

/** Makes an act by which the office writes to many. */
export const announcingAct = actsAbout<Announcing, Edition>();

type Announced = Pick<Announcing, 'edition' | 'announced' | 'now'>;

interface Planned<Kind extends AnnouncementKind, Takes extends Fields<Announcing>>
  extends Omit<ActSpec<Takes, Announcing, Edition>, 'run' | 'whyNot'> {
  announces: Kind;
  whyNot(announced: Announced): string | undefined;
  plan(
    announced: Announced & { by: string },
    given: GivenBy<Takes>,
    context: ActContext,
  ): Promise<{ says: readonly Said[]; announcement: Announcement<Kind> }>;
}

/** Makes an act that announces something to all, unless something else was announced meanwhile. */
function announcement<Kind extends AnnouncementKind, const Takes extends Fields<Announcing>>({
  announces,
  plan,
  ...spec
}: Planned<Kind, Takes>) {
  return announcingAct<Takes>({
    ...spec,
    async run(context, edition, given, asked) {
      const { payments } = context;
      const announced = await readAnnouncements(payments, edition);
      const now = context.now();
      refuseIf(spec.whyNot({ edition, announced, now }));
      const { says, announcement } = await plan({ edition, announced, now, by: asked.by }, given, context);
      const { at: _at, by: _by, ...what } = announcement;
      return carryOut(asked, { says, restsOn: [edition.facts.id, announced, what] }, async () => {
        await announce(payments, edition, announces, announcement, announced);
        return [recordedFor(asked.by), ...(await askWorker(context, NOT_ASKED))];
      });
    },
  });
}

const urlField = (kind: 'room' | 'recordings', what: string, does: string) => ({
  takes: announcedUrl,
  label: `Address of ${what}`,
  hint: `It begins with https://. Anyone who opens it there ${does}: please try it first, where you are not signed in.`,
  input: 'url' as const,
  initial: ({ announced }: Pick<Announcing, 'announced'>) => announced[kind]?.url ?? '',
});

/** The revision of the schedule as first published: nobody has had an earlier one. */
const FIRST_REVISION = 1;

export const announceSchedule = announcement({
  id: 'announce-schedule',
  heading: 'Announce the new schedule',
  sentence: 'Sends the schedule as it is now to everyone who has paid, with the calendar file.',
  whyNot({ edition, announced: { scheduleTold }, now }) {
    const { calendar, endsAt } = edition.facts;
    if (now >= new Date(endsAt)) return OVER;
    if (calendar.revision <= FIRST_REVISION)
      return 'The schedule is the one that was first published: nothing has changed.';
    if (!scheduleTold || scheduleTold.revision < calendar.revision) return undefined;
    const { revision, at, by } = scheduleTold;
    return `Revision ${revision} of the schedule was announced on ${moment(at, { edition })} by ${by}.`;
  },
  confirm: () => 'Announce it to everyone',
  announces: 'scheduleTold',
  async plan({ edition, now, by }, _given, context) {
    const { revision } = edition.facts.calendar;
    const { due } = await peopleOf(context, edition, 'schedule-changed', now);
    const says = [
      `The schedule of ${edition.facts.title} is announced as it is now (revision ${revision}). ${peopleGet(due)}, with the calendar file.`,
      'Those who register from now on have this schedule in their welcome message.',
      'This is the message, as somebody in the time zone of the retreat reads it; others see their own hours beside these.',
      announcedReading(context, edition, 'schedule-changed', now),
    ];
    return { says, announcement: { at: now, by, revision } };
  },
});

export const announceRoom = announcement({
  id: 'announce-room',
  heading: 'Say where the video room is',
  sentence:
    'The pages of everybody who has a place lead there for the test session, and for the retreat once everything is paid. Messages tell them so, and do not hold the address.',
  fields: { url: urlField('room', 'the video room', 'comes in') },
  whyNot({ edition: { facts }, now }) {
    return now < new Date(facts.endsAt) ? undefined : OVER;
  },
  confirm: () => 'Lead everyone to this address',
  announces: 'room',
  async plan({ edition, announced: { room }, now, by }, { url }, context) {
    if (room?.url === url) throw impossible(ANNOUNCED);
    const { letters, testSession } = edition.timetable;
    const from = (at: string) =>
      now < new Date(at) ? `from ${moment(new Date(at), { edition })} on` : 'now';
    const isTestAhead = now < new Date(testSession.endsAt);
    const count = room ? 0 : await countAwaitingRoom(await registrationsOf(context.payments, edition), now);
    const says = [
      addressFacts(url, room),
      isTestAhead ? `For the test session everybody’s page leads there ${from(letters.testSession)}.` : '',
      `For the retreat the pages of those who have paid everything lead there ${from(letters.wayIn[0]?.at ?? '')}.`,
      count > 0 ? `${peopleGet(count)} now: it waited for the address.` : '',
      room ? 'Those who have had a message already get none again.' : '',
      'This is the next message. It leads to her own page, and does not tell the address.',
      announcedReading(context, edition, isTestAhead ? 'test-session' : 'way-in', now),
    ];
    return { says, announcement: { at: now, by, url } };
  },
});

export const announceRecordings = announcement({
  id: 'announce-recordings',
  heading: 'Say where the recordings are',
  sentence:
    'The pages of all who have paid everything lead there, and a message tells them so. The message does not hold the address.',
  fields: { url: urlField('recordings', 'the recordings', 'sees the recordings') },
  whyNot({ edition: { facts, timetable }, now }) {
    if (timetable.letters.recordings === undefined) return 'Nothing of this retreat is recorded.';
    return now < linksEndAt(facts) ? undefined : 'The pages of registrants are closed by now.';
  },
  confirm: (_given, _told, { announced }) =>
    announced.recordings ? 'Lead everyone to this address' : 'Announce it to everyone',
  announces: 'recordings',
  async plan({ edition, announced: { recordings }, now, by }, { url }, context) {
    if (recordings?.url === url) throw impossible(ANNOUNCED);
    const opensAt = new Date(edition.timetable.letters.recordings ?? now);
    const { due, owing } = await peopleOf(context, edition, 'recordings', now);
    const when = opensAt > now ? `, from ${moment(opensAt, { edition })} on` : '';
    const says = [
      addressFacts(url, recordings),
      `The pages of those who have paid everything lead to this address${when}. ${peopleGet(due)}${when}.`,
      owing > 0
        ? `${peopleDo(owing, 'still owes', 'still owe')} the balance: the recordings are open to them, and the message goes out, once nothing is left to pay.`
        : '',
      recordings ? 'Those who have had the message already get none again.' : '',
      'This is the message. It leads to her own page, and does not tell the address.',
      announcedReading(context, edition, 'recordings', now),
    ];
    return { says, announcement: { at: now, by, url } };
  },
});

const OVER = 'The retreat is over.';
const ANNOUNCED = 'This address is announced already.';
const NOT_ASKED = 'The site could not be asked to look now: the messages go out within six hours.';

const addressFacts = (url: string, before: { url: string } | undefined): Said => ({
  facts: [['Address', url], ...(before ? [['Until now', before.url]] : [])],
});

async function peopleOf(context: ActContext, edition: Edition, kind: AnnouncedLetter, now: Date) {
  return announcedPeople(await registrationsOf(context.payments, edition), kind, edition, now, context.queue);
}

/** Whose page the letters lead to that the office reads before they go to many: nobody's. */
export const PREVIEWED = { id: 'reg_preview', linksEpoch: 0 };

/** A letter that goes to many, as somebody in the time zone of the retreat reads it. */
export function readingOf(
  context: ActContext,
  edition: Edition,
  name: LetterName,
  says: (w: Writing) => LetterSaid,
  firstName = '[first name]',
): Said {
  const nobody = { lastName: '', email: 'somebody@example.org', phoneNumber: '', timeZone: '' };
  const about = { subject: PREVIEWED.id, edition, person: { firstName, ...nobody } };
  return { letter: context.readingOf(mailOf(name, letterTable[name], about, { says })) };
}

const announcedReading = (context: ActContext, edition: Edition, name: AnnouncedLetter, now: Date): Said =>
  readingOf(context, edition, name, (w) => announcedWords[name](PREVIEWED, w, now));

/**
 * How many are processed before yielding to the event loop, some milliseconds: this process may also serve visitors.
 */
const AT_ONCE = 100;

export type AnnouncedPeople = Awaited<ReturnType<typeof announcedPeople>>;

/** Counts who gets the letter if it is announced now; for the recordings, from the edition's start time for them on. */
export async function announcedPeople(
  records: readonly RegistrationRecord[],
  kind: AnnouncedLetter,
  edition: Edition,
  now: Date,
  queue: Pick<LetterQueue, 'getRanges'>,
) {
  const at = momentOf(kind, edition, now);
  const progress = await letterProgress(records, kind, edition, allAnnounced(edition, at), now, queue);
  let owing = 0;
  await inTurns(records, (record) => {
    if (kind === 'recordings' && awaitsRecordings(record)) owing += 1;
  });
  return {
    /** How many get it when it is announced, and have not had it. */
    due: progress.queued + progress.failed + progress.notYet,
    /** How many more get it once they have nothing left to pay. */
    owing,
  };
}

/** How many people get a letter that has waited for the room, if it is announced now. */
async function countAwaitingRoom(records: readonly RegistrationRecord[], now: Date): Promise<number> {
  let count = 0;
  await inTurns(records, (record) => {
    const due = (announced: AnnouncedToAll) => lettersDue(record, now, announced).length;
    if (due({ room: { at: now } }) > due({})) count += 1;
  });
  return count;
}

/** How many letters of an announcement are in which state. */
export interface LetterProgress {
  sent: number;
  queued: number;
  failed: number;
  /** A person decided that they are not to be sent. */
  dismissed: number;
  /** Owed, and not on the queue: the worker puts them there. */
  notYet: number;
}

/** The states of the letters of an announcement, from the register and from the queue. */
export async function letterProgress(
  records: readonly RegistrationRecord[],
  kind: AnnouncedLetter,
  edition: Edition,
  announced: AnnouncedToAll,
  now: Date,
  queue: Pick<LetterQueue, 'getRanges'>,
): Promise<LetterProgress> {
  const idsIn = async (states: keyof typeof STATES) =>
    new Set(await queue.getRanges([...STATES[states]], 0, -1));
  const [failed, queued] = [await idsIn('failed'), await idsIn('waiting')];
  const progress: LetterProgress = { sent: 0, queued: 0, failed: 0, dismissed: 0, notYet: 0 };
  const at = momentOf(kind, edition, now);
  await inTurns(records, (record) => {
    const [letter] = lettersNow(kind, record, at, announced);
    if (!letter) return;
    const { id } = letter;
    if (isSentOrDismissed(letter, record)) progress[endOf(letter, record.endedLetters)?.state ?? 'sent'] += 1;
    else if (failed.has(id)) progress.failed += 1;
    else progress[queued.has(id) ? 'queued' : 'notYet'] += 1;
  });
  return progress;
}

/** Does the same for each registration, and lets other requests go on meanwhile. */
export async function inTurns(
  records: readonly RegistrationRecord[],
  work: (record: RegistrationRecord) => void,
): Promise<void> {
  for (const [index, record] of records.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
    work(record);
  }
}

/**
 * The moment for which an announcement's letters are worked out: now, but not before the time of these letters begins,
 * nor after it ends.
 */
function momentOf(kind: AnnouncedLetter, { facts, timetable }: Edition, now: Date): Date {
  const { recordings: from } = timetable.letters;
  const [begins, ends] =
    kind === 'recordings' && from !== undefined
      ? [Date.parse(from), linksEndAt(facts).getTime()]
      : [0, Date.parse(facts.endsAt)];
  return new Date(Math.max(begins, Math.min(now.getTime(), ends - 1)));
}
