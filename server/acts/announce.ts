import { type FactsOf, letterOf } from '#server/letters/letter-kind.ts';
import { linksEndAt } from '#server/links/own-page-links.ts';
import type { AnnouncedMailKind } from '#server/mail/job.ts';
import type { Announcement, AnnouncementKind, Announcements } from '#server/payments/announcements.ts';
import type { Message } from '#server/payments/messages.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { actsAbout } from './act.ts';
import type { ActContext } from './act-context.ts';
import { announcedPeople, countAwaitingRoom } from './announced-people.ts';
import { type Asked, askWorker, carryOut, recordedFor, type Said, type Told } from './carry-out.ts';
import { announcedUrl } from './given.ts';
import { moment, peopleDo } from './plain-words.ts';
import { impossible, refuseIf, wrongUsage } from './refusal.ts';

const peopleGet = (count: number): string => peopleDo(count, 'gets a letter', 'get a letter');

/** An edition, and what has been announced to everyone who comes to it. */
export interface Announcing {
  edition: Edition;
  announced: Announcements;
  /** The letters that the office wrote, the newest first. */
  messages: readonly Message[];
  now: Date;
}

/** Makes an act by which the office writes to many. */
export const announcingAct = actsAbout<Announcing, Edition>();

/** @throws {Refusal} when there is no such edition */
export function editionNamed(id: string): Edition {
  const edition = findEdition(id);
  if (edition) return edition;
  const known = editions.map(({ facts }) => facts.id).join(', ');
  throw wrongUsage(`There is no edition ${id}: it is one of ${known}`);
}

/** The field of an announced address. */
const urlField = (kind: 'room' | 'recordings', what: string, does: string) => ({
  takes: announcedUrl,
  label: `Address of ${what}`,
  hint: `It begins with https://. Anyone who opens it there ${does}: please try it first, where you are not signed in.`,
  input: 'url' as const,
  initial: ({ announced }: Pick<Announcing, 'announced'>) => announced[kind]?.url ?? '',
  argument: 'URL',
});

/** The revision of the schedule as first published: nobody has had an earlier one. */
const FIRST_REVISION = 1;

/** Announces the schedule of this release: a letter to everyone who paid before now. Once for each revision. */
export const announceSchedule = announcingAct({
  id: 'announce-schedule',
  heading: 'Announce the new schedule',
  sentence: 'Sends the schedule as it is now to everyone who has paid, with the calendar file.',
  help: [
    'Announces the schedule as this release has it: everyone who has paid by now gets a letter with all of it and the',
    'calendar file. Once for each revision. --dry-run shows the letter, and how many get it.',
  ],
  whyNot: whyNoSchedule,
  confirm: () => 'Announce it to everyone',
  run: (context, edition, _given, asked) =>
    announce(context, edition, asked, 'scheduleTold', async (announcing, act) => {
      refuseIf(whyNoSchedule(announcing));
      const { now } = announcing;
      const { revision } = edition.facts.calendar;
      const { due } = await peopleOf(context, edition, 'schedule-changed', now);
      const says = [
        `The schedule of ${edition.facts.title} is announced as it is now (revision ${revision}). ${peopleGet(due)}, with the calendar file.`,
        'Those who register from now on have this schedule in their welcome letter.',
        'This is the letter, as somebody in the time zone of the retreat reads it; others see their own hours beside these.',
        readingOf(context, edition, 'schedule-changed', { revision, writtenAt: now.toISOString() }),
      ];
      return { says, announcement: { ...act, revision } };
    }),
});

function whyNoSchedule({ edition, announced: { scheduleTold }, now }: Announced): string | undefined {
  const { calendar, endsAt } = edition.facts;
  if (now >= new Date(endsAt)) return OVER;
  if (calendar.revision <= FIRST_REVISION)
    return 'The schedule is the one that was first published: nothing has changed.';
  if (!scheduleTold || scheduleTold.revision < calendar.revision) return undefined;
  const { revision, at, by } = scheduleTold;
  return `Revision ${revision} of the schedule was announced on ${moment(at, { edition })} by ${by}.`;
}

/**
 * Records where the video room is: the pages of registrants lead there, and letters say so, each from its own moment
 * on. Another address later changes the pages, and sends no second letter.
 */
export const announceRoom = announcingAct({
  id: 'announce-room',
  heading: 'Say where the video room is',
  sentence:
    'The pages of everybody who has a place lead there for the test session, and for the retreat once everything is paid. Letters tell them so, and do not hold the address.',
  help: [
    'Records where the video room is: pages of registrants lead to URL, for the test session and for the retreat. Letters that',
    'waited for it go out. Another URL later changes the pages, and sends no second letter.',
  ],
  fields: { url: urlField('room', 'the video room', 'comes in') },
  whyNot: whyNoRoom,
  confirm: () => 'Lead everyone to this address',
  run: (context, edition, { url }, asked) =>
    announce(context, edition, asked, 'room', async ({ announced: { room }, now }, act) => {
      refuseIf(whyNoRoom({ edition, now }));
      if (room?.url === url) throw impossible(ANNOUNCED);
      const { letters, testSession } = edition.timetable;
      const from = (at: string) =>
        now < new Date(at) ? `from ${moment(new Date(at), { edition })} on` : 'now';
      const isTestAhead = now < new Date(testSession.endsAt);
      const day = letters.wayIn.find(({ at }) => now < new Date(at)) ?? letters.wayIn.at(-1);
      const count = room ? 0 : await countAwaitingRoom(await context.list(edition), now);
      const says = [
        addressFacts(url, room),
        isTestAhead ? `For the test session everybody’s page leads there ${from(letters.testSession)}.` : '',
        `For the retreat the pages of those who have paid everything lead there ${from(letters.wayIn[0]?.at ?? '')}.`,
        count > 0 ? `${peopleGet(count)} now: it waited for the address.` : '',
        room ? 'Those who have had a letter already get none again.' : '',
        'This is the next letter. It leads to her own page, and does not tell the address.',
        isTestAhead
          ? readingOf(context, edition, 'test-session', { startsAt: testSession.startsAt })
          : readingOf(context, edition, 'way-in', {
              day: day?.day ?? '',
              isOpen: true,
              writtenAt: day?.at ?? '',
            }),
      ];
      return { says, announcement: { ...act, url } };
    }),
});

function whyNoRoom({ edition: { facts }, now }: Pick<Announced, 'edition' | 'now'>): string | undefined {
  return now < new Date(facts.endsAt) ? undefined : OVER;
}

/**
 * Records where the recordings are: the pages of registrants who have paid everything link to them, and a letter says
 * so, from the edition's start time for recordings on. Another address later changes the pages, and sends no second
 * letter.
 */
export const announceRecordings = announcingAct({
  id: 'announce-recordings',
  heading: 'Say where the recordings are',
  sentence:
    'The pages of all who have paid everything lead there, and a letter tells them so. The letter does not hold the address.',
  help: [
    'Records where the recordings are: the pages of who has paid everything lead to URL, and a letter tells them, from the',
    'moment of the edition on. Another URL later changes the pages, and sends no second letter.',
  ],
  fields: { url: urlField('recordings', 'the recordings', 'sees the recordings') },
  whyNot: whyNoRecordings,
  confirm: (_given, _told, { announced }) =>
    announced.recordings ? 'Lead everyone to this address' : 'Announce it to everyone',
  run: (context, edition, { url }, asked) =>
    announce(context, edition, asked, 'recordings', async ({ announced: { recordings }, now }, act) => {
      refuseIf(whyNoRecordings({ edition, now }));
      if (recordings?.url === url) throw impossible(ANNOUNCED);
      const opensAt = new Date(edition.timetable.letters.recordings ?? now);
      const { due, owing } = await peopleOf(context, edition, 'recordings', now);
      const when = opensAt > now ? `, from ${moment(opensAt, { edition })} on` : '';
      const says = [
        addressFacts(url, recordings),
        `The pages of those who have paid everything lead to this address${when}. ${peopleGet(due)}${when}.`,
        owing > 0
          ? `${peopleDo(owing, 'still owes', 'still owe')} the balance: the recordings are open to them, and the letter goes out, once nothing is left to pay.`
          : '',
        recordings ? 'Those who have had the letter already get none again.' : '',
        'This is the letter. It leads to her own page, and does not tell the address.',
        readingOf(context, edition, 'recordings', {}),
      ];
      return { says, announcement: { ...act, url } };
    }),
});

function whyNoRecordings({
  edition: { facts, timetable },
  now,
}: Pick<Announced, 'edition' | 'now'>): string | undefined {
  if (timetable.letters.recordings === undefined) return 'Nothing of this retreat is recorded.';
  return now < linksEndAt(facts) ? undefined : 'The pages of registrants are closed by now.';
}

const OVER = 'The retreat is over.';
const ANNOUNCED = 'This address is announced already.';
const NOT_ASKED = 'The site could not be asked to look now: the letters go out within six hours.';

type Announced = Pick<Announcing, 'edition' | 'announced' | 'now'>;

/** Announces what is planned, unless something else was announced meanwhile. */
async function announce<Kind extends AnnouncementKind>(
  context: ActContext,
  edition: Edition,
  asked: Asked,
  kind: Kind,
  plan: (
    announced: Announced,
    act: { at: Date; by: string },
  ) => Promise<{ says: readonly Said[]; announcement: Announcement<Kind> }>,
): Promise<Told> {
  const register = await context.openRecord();
  const seen = await register.readAnnouncements(edition);
  const now = await context.now();
  const { says, announcement } = await plan({ edition, announced: seen, now }, { at: now, by: asked.by });
  const { at: _at, by: _by, ...what } = announcement;
  return carryOut(asked, { says, restsOn: [edition.facts.id, seen, what] }, async () => {
    await register.announce(edition, kind, announcement, seen);
    return [recordedFor(asked.by), ...(await askWorker(context, NOT_ASKED))];
  });
}

const addressFacts = (url: string, before: { url: string } | undefined): Said => ({
  facts: [['Address', url], ...(before ? [['Until now', before.url]] : [])],
});

async function peopleOf(context: ActContext, edition: Edition, kind: AnnouncedMailKind, now: Date) {
  return announcedPeople(await context.list(edition), kind, edition, now, context.queue);
}

/** Somebody to whom a letter is shown that goes to many. */
export const sampleReader = (edition: string, firstName: string) => ({
  paymentIntentId: 'pi_preview',
  edition,
  firstName,
  lastName: '',
  email: 'somebody@example.org',
  phoneNumber: '',
  timeZone: '',
});

/** The letter as it is to everyone, without a name and a time zone. */
function readingOf<Kind extends AnnouncedMailKind>(
  context: ActContext,
  { facts }: Edition,
  kind: Kind,
  says: FactsOf<Kind>,
): Said {
  return { letter: context.readingOf(letterOf(kind, sampleReader(facts.id, '[first name]'), says)) };
}
