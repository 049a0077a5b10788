import {
  type Announcement,
  type AnnouncementKind,
  type Announcements,
  announce,
  readAnnouncements,
} from '#server/letters/announcements.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { type Said as LetterSaid, mailOf } from '#server/letters/letter-kind.ts';
import { type Message, readMessages } from '#server/letters/messages.ts';
import type { Writing } from '#server/letters/render/parts.ts';
import { type AnnouncedLetter, announcedWords } from '#server/letters/retreat-letters.ts';
import { type LetterName, letterTable } from '#server/letters/table.ts';
import { countReaders } from '#server/office/letters/readers.ts';
import { moment, peopleDo } from '#server/office/words.ts';
import { linksEndAt } from '#server/registration/registration.ts';
import { registrationsOf } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import {
  type CommandContext,
  commandsAbout,
  type Fields,
  type InputOf,
  impossible,
  type Said,
  type Spec,
} from './command.ts';
import { announcedUrl } from './inputs.ts';

/** An edition, and what the office has announced and written to everybody who comes to it. */
export interface EditionNow {
  edition: Edition;
  announced: Announcements;
  messages: readonly Message[];
  now: Date;
}

export async function findEditionNow(
  { payments, now }: Pick<CommandContext, 'payments' | 'now'>,
  edition: Edition,
): Promise<EditionNow> {
  const announced = await readAnnouncements(payments, edition);
  return { edition, announced, messages: await readMessages(payments, edition), now: now() };
}

export const editionCommand = commandsAbout<EditionNow>();

/** Whose page the letters lead to that the office reads before they go to many: nobody's. */
export const PREVIEWED = { id: 'reg_preview', linksEpoch: 0 };

/** A letter that goes to many, as somebody in the time zone of the retreat reads it; the link to her page is a placeholder. */
export function readingOf(
  { config }: Pick<CommandContext, 'config'>,
  edition: Edition,
  name: LetterName,
  says: (w: Writing) => LetterSaid,
  firstName = '[first name]',
): Said {
  const { office, publicUrl: siteUrl } = config;
  const links = { url: () => new URL(`${ownPagePaths.enter}HER-OWN-LINK`, siteUrl).href };
  const nobody = { lastName: '', email: 'somebody@example.org', phoneNumber: '', timeZone: '' };
  const about = { id: PREVIEWED.id, edition, registrant: { firstName, ...nobody } };
  const mail = mailOf(name, letterTable[name], about, { says });
  const { subject, text } = composeMessage(mail, { office, siteUrl, links });
  return { letter: { subject, text } };
}

const peopleGet = (count: number): string => peopleDo(count, 'gets a message', 'get a message');

interface Announcing<Kind extends AnnouncementKind, Takes extends Fields<EditionNow>>
  extends Omit<Spec<Takes, EditionNow>, 'plan'> {
  announces: Kind;
  /** The letter that tells it to all. */
  letter?: AnnouncedLetter;
  /** @param due how many people get a message now */
  announcement(
    about: EditionNow,
    input: InputOf<Takes>,
    due: number,
    told: { at: Date; by: string },
  ): { says: readonly Said[]; made: Announcement<Kind> };
}

/** Makes a command that announces something to all, unless something else was announced meanwhile. */
function announcing<Kind extends AnnouncementKind, const Takes extends Fields<EditionNow>>({
  announces,
  letter,
  announcement,
  ...spec
}: Announcing<Kind, Takes>) {
  const command = editionCommand<Takes>({
    ...spec,
    async plan({ about, by, context }, input) {
      const { edition, now: at } = about;
      const records = await registrationsOf(context.payments, edition);
      const due = letter ? await countReaders(records, letter, edition, at) : 0;
      const { says, made } = announcement(about, input, due, { at, by });
      return {
        says: letter
          ? [...says, readingOf(context, edition, letter, (w) => announcedWords[letter](PREVIEWED, w, at))]
          : says,
        async carryOut() {
          await announce(context.payments, edition, announces, made);
        },
      };
    },
  });
  return { ...command, announces };
}

/** The revision of the schedule as first published: nobody has had an earlier one. */
const FIRST_REVISION = 1;
const OVER = 'The retreat is over.';

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
    return (scheduleTold?.revision ?? 0) < calendar.revision
      ? undefined
      : `Revision ${calendar.revision} of the schedule was announced: nothing has changed since.`;
  },
  announces: 'scheduleTold',
  letter: 'schedule-changed',
  announcement({ edition }, _input, due, told) {
    const { title, calendar } = edition.facts;
    return {
      says: [
        `The schedule of ${title} is announced as it is now (revision ${calendar.revision}). ${peopleGet(due)}, with the calendar file.`,
      ],
      made: { ...told, revision: calendar.revision },
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
  announcement: ({ announced }, { url }, _due, told) => ({
    says: [addressFacts(url, announced.room)],
    made: { ...told, url },
  }),
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
  letter: 'recordings',
  announcement({ edition, announced, now }, { url }, due, told) {
    const { recordings } = announced;
    const opensAt = new Date(edition.timetable.letters.recordings ?? now);
    const when = opensAt > now ? `, from ${moment(opensAt, { edition })} on` : '';
    return {
      says: [
        addressFacts(url, recordings),
        `The pages of those who have paid everything lead to this address${when}. ${peopleGet(due)}${when}.`,
        recordings ? 'Those who have had the message already get none again.' : '',
      ],
      made: { ...told, url },
    };
  },
});

function addressFacts(url: string, before: { url: string } | undefined): Said {
  if (url === before?.url) throw impossible('This address is announced already.');
  return before ? { compared: [['Address', before.url, url]] } : { rows: [['Address', url]] };
}
