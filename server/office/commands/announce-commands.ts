import { type Announcement, type AnnouncementKind, announce } from '#server/letters/announcements.ts';
import { type AnnouncedLetter, announcedWords } from '#server/letters/retreat-letters.ts';
import { countAwaitingRoom, readersOf } from '#server/office/letters/progress.ts';
import { moment, peopleDo } from '#server/office/words.ts';
import { linksEndAt } from '#server/registration/links.ts';
import { registrationsOf } from '#server/worker/registration-list.ts';
import { type Call, type Fields, type InputOf, impossible, type Said, type Spec } from './command.ts';
import { type EditionNow, editionCommand, PREVIEWED, readingOf } from './edition-command.ts';
import { announcedUrl } from './inputs.ts';

const peopleGet = (count: number): string => peopleDo(count, 'gets a message', 'get a message');

interface Announcing<Kind extends AnnouncementKind, Takes extends Fields<EditionNow>>
  extends Omit<Spec<Takes, EditionNow>, 'plan'> {
  announces: Kind;
  announcement(
    call: Call<EditionNow>,
    input: InputOf<Takes>,
  ): Promise<{ says: readonly Said[]; made: Announcement<Kind> }>;
}

/** Makes a command that announces something to all, unless something else was announced meanwhile. */
function announcing<Kind extends AnnouncementKind, const Takes extends Fields<EditionNow>>({
  announces,
  announcement,
  ...spec
}: Announcing<Kind, Takes>) {
  return editionCommand<Takes>({
    ...spec,
    async plan(call, input) {
      const { edition, announced } = call.about;
      const { says, made } = await announcement(call, input);
      return {
        says,
        async carryOut() {
          await announce(call.context.payments, edition, announces, made, announced);
          return undefined;
        },
      };
    },
  });
}

/** The revision of the schedule as first published: nobody has had an earlier one. */
const FIRST_REVISION = 1;
const OVER = 'The retreat is over.';
const IS_NEXT = 'This is the next message. It leads to her own page, and does not tell the address.';

const urlField = (kind: 'room' | 'recordings', what: string, does: string) => ({
  takes: announcedUrl,
  label: `Address of ${what}`,
  hint: `It begins with https://. Anyone who opens it there ${does}: please try it first, where you are not signed in.`,
  input: 'url' as const,
  initial: ({ announced }: EditionNow) => announced[kind]?.url ?? '',
});

export const announceSchedule = announcing({
  id: 'announce-schedule',
  heading: 'Announce the new schedule',
  sentence: 'Sends the schedule as it is now to everyone who has paid, with the calendar file.',
  refuses({ edition, announced: { scheduleTold }, now }) {
    const { calendar, endsAt } = edition.facts;
    if (now >= new Date(endsAt)) return OVER;
    if (calendar.revision <= FIRST_REVISION)
      return 'The schedule is the one that was first published: nothing has changed.';
    if (!scheduleTold || scheduleTold.revision < calendar.revision) return undefined;
    const { revision, at, by } = scheduleTold;
    return `Revision ${revision} of the schedule was announced on ${moment(at, { edition })} by ${by}.`;
  },
  announces: 'scheduleTold',
  async announcement(call, _input) {
    const { edition, now } = call.about;
    const { revision } = edition.facts.calendar;
    const { due } = await readersNow(call, 'schedule-changed');
    return {
      says: [
        `The schedule of ${edition.facts.title} is announced as it is now (revision ${revision}). ${peopleGet(due)}, with the calendar file.`,
        'Those who register from now on have this schedule in their welcome message.',
        'This is the message, as somebody in the time zone of the retreat reads it; others see their own hours beside these.',
        reading(call, 'schedule-changed'),
      ],
      made: { at: now, by: call.by, revision },
    };
  },
});

export const announceRoom = announcing({
  id: 'announce-room',
  heading: 'Say where the video room is',
  sentence:
    'The pages of everybody who has a place lead there for the test session, and for the retreat once everything is paid. Messages tell them so, and do not hold the address.',
  fields: { url: urlField('room', 'the video room', 'comes in') },
  refuses: ({ edition: { facts }, now }) => (now < new Date(facts.endsAt) ? undefined : OVER),
  announces: 'room',
  async announcement(call, { url }) {
    const { edition, announced, now } = call.about;
    const { room } = announced;
    const { letters, testSession } = edition.timetable;
    const from = (at: string) =>
      now < new Date(at) ? `from ${moment(new Date(at), { edition })} on` : 'now';
    const isTestAhead = now < new Date(testSession.endsAt);
    const records = room ? [] : await registrationsOf(call.context.payments, edition);
    const count = await countAwaitingRoom(records, now);
    return {
      says: [
        addressFacts(url, room),
        isTestAhead ? `For the test session everybody’s page leads there ${from(letters.testSession)}.` : '',
        `For the retreat the pages of those who have paid everything lead there ${from(letters.wayIn[0]?.at ?? '')}.`,
        count > 0 ? `${peopleGet(count)} now: it waited for the address.` : '',
        room ? 'Those who have had a message already get none again.' : '',
        IS_NEXT,
        reading(call, isTestAhead ? 'test-session' : 'way-in'),
      ],
      made: { at: now, by: call.by, url },
    };
  },
});

export const announceRecordings = announcing({
  id: 'announce-recordings',
  heading: 'Say where the recordings are',
  sentence:
    'The pages of all who have paid everything lead there, and a message tells them so. The message does not hold the address.',
  fields: { url: urlField('recordings', 'the recordings', 'sees the recordings') },
  refuses({ edition: { facts, timetable }, now }) {
    if (timetable.letters.recordings === undefined) return 'Nothing of this retreat is recorded.';
    return now < linksEndAt(facts) ? undefined : 'The pages of registrants are closed by now.';
  },
  announces: 'recordings',
  async announcement(call, { url }) {
    const { edition, announced, now } = call.about;
    const { recordings } = announced;
    const opensAt = new Date(edition.timetable.letters.recordings ?? now);
    const { due, owing } = await readersNow(call, 'recordings');
    const when = opensAt > now ? `, from ${moment(opensAt, { edition })} on` : '';
    return {
      says: [
        addressFacts(url, recordings),
        `The pages of those who have paid everything lead to this address${when}. ${peopleGet(due)}${when}.`,
        owing > 0
          ? `${peopleDo(owing, 'still owes', 'still owe')} the balance: the recordings are open to them, and the message goes out, once nothing is left to pay.`
          : '',
        recordings ? 'Those who have had the message already get none again.' : '',
        IS_NEXT,
        reading(call, 'recordings'),
      ],
      made: { at: now, by: call.by, url },
    };
  },
});

/** @throws {Refusal} when it is the address that was announced before */
function addressFacts(url: string, before: { url: string } | undefined): Said {
  if (url === before?.url) throw impossible('This address is announced already.');
  return before ? { compared: [['Address', before.url, url]] } : { facts: [['Address', url]] };
}

async function readersNow({ about: { edition, now }, context }: Call<EditionNow>, kind: AnnouncedLetter) {
  return readersOf(await registrationsOf(context.payments, edition), kind, edition, now, context.queue);
}

const reading = ({ about: { edition, now }, context }: Call<EditionNow>, name: AnnouncedLetter): Said =>
  readingOf(context, edition, name, (w) => announcedWords[name](PREVIEWED, w, now));
