import { type FactsOf, letterOf } from '#server/letters/letter-kind.ts';
import type { AnnouncedMailKind } from '#server/mail/job.ts';
import type { Announcements } from '#server/payments/announcements.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import type { ActContext } from './act-context.ts';
import { announcedPeople, countAwaitingRoom } from './announced-people.ts';
import { type Asked, askWorker, carryOut, recordedFor, type Said, type Told } from './carry-out.ts';
import { moment, people } from './plain-words.ts';
import { Refusal, wrongUsage } from './refusal.ts';
import { whyNoRecordings, whyNoRoom, whyNoSchedule } from './why-not-announced.ts';

const NOT_ASKED = 'The site could not be asked to look now: the letters go out within six hours.';

/** @throws {Refusal} when there is no such edition */
export function editionNamed(id: string): Edition {
  const edition = findEdition(id);
  if (edition) return edition;
  const known = editions.map(({ facts }) => facts.id).join(', ');
  throw wrongUsage(`There is no edition ${id}: it is one of ${known}`);
}

/**
 * Announces the schedule of this release: a letter to everyone who paid before now. Once for each revision.
 * @throws {Refusal} when there is nothing to announce, or no longer
 */
export async function announceSchedule(context: ActContext, edition: Edition, asked: Asked): Promise<Told> {
  const { now, seen, register } = await readSeen(context, edition);
  refuseIf(whyNoSchedule(edition, seen, now));
  const { revision } = edition.facts.calendar;
  const { due } = await peopleOf(context, edition, 'schedule-changed', now);
  const says: Said[] = [
    `The schedule of ${edition.facts.title} is announced as it is now (revision ${revision}). ${peopleGet(due)}, with the calendar file.`,
    'Those who register from now on have this schedule in their welcome letter.',
    'This is the letter, as somebody in the time zone of the retreat reads it; others see their own hours beside these.',
    readingOf(context, edition, 'schedule-changed', { revision, writtenAt: now.toISOString() }),
  ];
  return carryOut(asked, { says, restsOn: [edition.facts.id, seen, revision] }, async () => {
    await register.announce(edition, 'scheduleTold', { revision, at: now, by: asked.by }, seen);
    return [recordedFor(asked.by), ...(await askWorker(context, NOT_ASKED))];
  });
}

/**
 * Records where the recordings are: the pages of registrants who have paid everything link to them, and a
 * letter says so, from the edition's start time for recordings on. Another address later changes the pages,
 * and sends no second letter.
 * @throws {Refusal} when nothing is recorded, or the pages are closed
 */
export async function announceRecordings(
  context: ActContext,
  edition: Edition,
  url: string,
  asked: Asked,
): Promise<Told> {
  const { now, seen, register } = await readSeen(context, edition);
  const from = edition.timetable.letters.recordings;
  const why = whyNoRecordings(edition, now);
  refuseIf(why);
  if (from === undefined) throw new Refusal('wrongState', why ?? '');
  if (seen.recordings?.url === url) throw new Refusal('wrongState', 'This address is announced already.');
  const opensAt = new Date(Math.max(now.getTime(), Date.parse(from)));
  const { due, owing } = await peopleOf(context, edition, 'recordings', now);
  const when = opensAt > now ? `, from ${moment(opensAt, { edition })} on` : '';
  const says: Said[] = [
    { facts: [['Address', url], ...(seen.recordings ? [['Until now', seen.recordings.url]] : [])] },
    `The pages of those who have paid everything lead to this address${when}. ${peopleGet(due)}${when}.`,
    owing > 0
      ? `${people(owing)} still ${owing === 1 ? 'owes' : 'owe'} the balance: the recordings are open to them, and the letter goes out, once nothing is left to pay.`
      : '',
    seen.recordings ? 'Those who have had the letter already get none again.' : '',
    'This is the letter. It leads to her own page, and does not tell the address.',
    readingOf(context, edition, 'recordings', {}),
  ];
  return carryOut(asked, { says, restsOn: [edition.facts.id, seen, url] }, async () => {
    await register.announce(edition, 'recordings', { url, at: now, by: asked.by }, seen);
    return [recordedFor(asked.by), ...(await askWorker(context, NOT_ASKED))];
  });
}

/**
 * Records where the video room is: the pages of registrants lead there, and letters say so, each from its own moment on.
 * Another address later changes the pages, and sends no second letter.
 * @throws {Refusal} when the retreat is over
 */
export async function announceRoom(
  context: ActContext,
  edition: Edition,
  url: string,
  asked: Asked,
): Promise<Told> {
  const { now, seen, register } = await readSeen(context, edition);
  refuseIf(whyNoRoom(edition, now));
  if (seen.room?.url === url) throw new Refusal('wrongState', 'This address is announced already.');
  const { letters, testSession } = edition.timetable;
  const from = (at: string) => (now < new Date(at) ? `from ${moment(new Date(at), { edition })} on` : 'now');
  const isTestAhead = now < new Date(testSession.endsAt);
  const day = letters.wayIn.find(({ at }) => now < new Date(at)) ?? letters.wayIn.at(-1);
  const count = seen.room ? 0 : await countAwaitingRoom(await context.list(edition), now);
  const says: Said[] = [
    { facts: [['Address', url], ...(seen.room ? [['Until now', seen.room.url]] : [])] },
    isTestAhead ? `For the test session everybody’s page leads there ${from(letters.testSession)}.` : '',
    `For the retreat the pages of those who have paid everything lead there ${from(letters.wayIn[0]?.at ?? '')}.`,
    count > 0 ? `${peopleGet(count)} now: it waited for the address.` : '',
    seen.room ? 'Those who have had a letter already get none again.' : '',
    'This is the next letter. It leads to her own page, and does not tell the address.',
    isTestAhead
      ? readingOf(context, edition, 'test-session', { startsAt: testSession.startsAt })
      : readingOf(context, edition, 'way-in', {
          ...{ day: day?.day ?? '', isOpen: true, writtenAt: day?.at ?? '' },
        }),
  ];
  return carryOut(asked, { says, restsOn: [edition.facts.id, seen, url] }, async () => {
    await register.announce(edition, 'room', { url, at: now, by: asked.by }, seen);
    return [recordedFor(asked.by), ...(await askWorker(context, NOT_ASKED))];
  });
}

async function readSeen(context: ActContext, edition: Edition) {
  const register = await context.openRecord();
  const seen: Announcements = await register.readAnnouncements(edition);
  return { register, seen, now: await context.now() };
}

async function peopleOf(context: ActContext, edition: Edition, kind: AnnouncedMailKind, now: Date) {
  return announcedPeople(await context.list(edition), kind, edition, now, context.queue);
}

/** The letter as it is to everyone, without a name and a time zone. */
function readingOf<Kind extends AnnouncedMailKind>(
  context: ActContext,
  { facts }: Edition,
  kind: Kind,
  says: FactsOf<Kind>,
): Said {
  const about = {
    ...{ paymentIntentId: 'pi_preview', edition: facts.id, firstName: '[first name]', lastName: '' },
    ...{ email: 'somebody@example.org', phoneNumber: '', timeZone: '' },
  };
  return { letter: context.readingOf(letterOf(kind, about, says)) };
}

function refuseIf(why: string | undefined): void {
  if (why !== undefined) throw new Refusal('wrongState', why);
}

function peopleGet(count: number): string {
  return count > 1 ? `${people(count)} get a letter` : `${people(count)} gets a letter`;
}
