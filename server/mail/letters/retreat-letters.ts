import type { MailOf } from '#server/mail/job.ts';
import type { Edition, ScheduleDay } from '#shared/content/edition.ts';
import { welcomeMail } from '#shared/content/mails.ts';
import { daysDiffer } from '#shared/content/own-schedule.ts';
import { testSessionMail, wayInMail } from '#shared/content/retreat-mails.ts';
import { formatLength, scheduleWords } from '#shared/content/schedule.ts';
import { tellMoment } from '#shared/content/tell-moment.ts';
import { formatTimeZone } from '#shared/zoned-time.ts';
import { type Block, heading, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { findOwnZone, scheduleTable } from './schedule-table.ts';
import { letterToHer, ownPageButton } from './to-her.ts';

/** Says when the test session is, what to try there, and how to get to it. */
export function testSession(job: MailOf<'test-session'>, edition: Edition, context: MessageContext): Letter {
  const { facts, timetable } = edition;
  const words = testSessionMail;
  const [first] = timetable.letters.wayIn;
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: words.preheader(timetable.testSession),
      title: words.title,
      blocks: [
        paragraph(words.intro(facts)),
        {
          kind: 'facts',
          facts: [
            {
              label: words.when,
              value: tellMoment(new Date(job.startsAt), timetable, job.timeZone),
              strong: true,
            },
            { label: words.length, value: formatLength(timetable.testSession.minutes) },
          ],
        },
        paragraph(words.wayIn),
        ownPageButton(job, edition, context),
        heading(words.whatToTry),
        { kind: 'points', points: words.points },
        ...(first ? [paragraph(words.cannotCome(first.day, context.office))] : []),
      ],
    },
    job,
    edition,
    context,
  );
}

/**
 * How to enter the room, or what has to be done before it opens to her, and the remaining sessions of that
 * day.
 */
export function wayIn(job: MailOf<'way-in'>, edition: Edition, context: MessageContext): Letter {
  const { facts, timetable } = edition;
  const words = wayInMail;
  const planned = timetable.days.find(({ date }) => date === job.day);
  return letterToHer(
    {
      subject: planned ? words.subject.onTheDay(facts, job.day) : words.subject.before(facts),
      preheader: job.isOpen ? words.preheader.open : words.preheader.owing,
      title: planned ? words.title.onTheDay(job.day) : words.title.before(facts),
      blocks: [
        paragraph(planned ? words.intro.onTheDay : words.intro.before(facts)),
        paragraph(job.isOpen ? words.open : words.owing),
        ownPageButton(job, edition, context),
        ...(job.isOpen ? [] : [paragraph(words.owingHelp(context.office))]),
        ...sessionsOf(planned ?? timetable.days[0], job, edition),
      ],
      questions: words.questions(context.office),
    },
    job,
    edition,
    context,
  );
}

/** A day's sessions without those that are over, in the retreat's time zone and in hers. */
function sessionsOf(
  day: ScheduleDay | undefined,
  { timeZone, writtenAt }: MailOf<'way-in'>,
  edition: Edition,
): Block[] {
  if (!day) return [];
  const over = day.entries.findLastIndex(
    ({ session }) => session && new Date(session.endsAt) <= new Date(writtenAt),
  );
  const timetable = { ...edition.timetable, days: [{ ...day, entries: day.entries.slice(over + 1) }] };
  const words = welcomeMail(edition).schedule;
  const ownZone = findOwnZone(timeZone, timetable);
  const zoneNote =
    ownZone === null
      ? scheduleWords.zoneNote(timetable)
      : words.ownZone(formatTimeZone(ownZone), daysDiffer(timetable, ownZone));
  return [
    heading(wayInMail.sessions),
    paragraph(zoneNote),
    { kind: 'schedule', table: scheduleTable(timetable, ownZone, words) },
  ];
}
