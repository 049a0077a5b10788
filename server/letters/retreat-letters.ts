import { hasPlace, type RegistrationRecord } from '#server/registration/registration.ts';
import type { Timetable } from '#shared/content/edition.ts';
import { formatLength, recordedDays } from '#shared/content/schedule.ts';
import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { isLetIn, isTestSessionOpen, recordingsOf } from './announcements.ts';
import type { LetterKinds, Said } from './letter-kind.ts';
import { factTable, heading } from './render/letter.ts';
import {
  daysOf,
  lastDayOfLinks,
  pageButton,
  scheduleBlocks,
  sessionsOf,
  type Writing,
} from './render/parts.ts';
import { awaitsWelcome, calendarFile } from './welcome.ts';

const longDay = (isoDate: string): string => `${formatWeekday(isoDate)}, ${formatMonthAndDay(isoDate)}`;

export const OWING =
  'Before the room opens to you, one thing is left: your balance. Your own page shows what is left and how to pay it.';
const WITHOUT_PASSWORD = 'The link below opens your page without a password, so please keep it to yourself.';
/** To everybody with a place. Her page leads to the room, or says that its address is not known yet. */
export const retreatLetters = {
  /** From the edition's time for this letter until the session has ended, whatever is left to pay. */
  'test-session': {
    name: 'When the test session is',
    toAll: true,
    due(record, now) {
      const { timetable } = record.edition;
      if (!isTestSessionOpen(timetable, now) || !isExpected(record)) return undefined;
      return {
        key: [new Date(timetable.testSession.startsAt)],
        says: (w) => saidOfTest(record, w),
      };
    },
  },

  /** The day before the retreat and each of its mornings. Who disputes a charge is not reminded to pay. */
  'way-in': {
    name: 'The way into the room',
    toAll: true,
    due(record, now) {
      const day = wayInDayAt(record.edition.timetable, now);
      const isOpen = isLetIn(record, now);
      if (day === undefined || !isExpected(record) || (record.disputed && !isOpen)) return undefined;
      return {
        key: [day],
        asksToPay: !isOpen,
        says: (w) => saidOfDay(record, w, now, day, isOpen),
      };
    },
  },

  // Who disputes a charge gets these, too: they help her to attend.
  /** To who paid before the announcement, until the retreat is over: the whole schedule as it is then. */
  'schedule-changed': {
    name: 'The schedule has changed',
    toAll: true,
    due(record, now, { scheduleTold: told }) {
      const { calendar, endsAt } = record.edition.facts;
      if (!told || told.revision > calendar.revision || !hasPlace(record) || now >= new Date(endsAt))
        return undefined;
      const heldSince = record.handedOver?.at ?? record.paidAt;
      if (!heldSince || heldSince >= told.at) return undefined;
      return {
        key: [told.revision],
        says: (w) => saidOfSchedule(record, w, now),
      };
    },
  },

  /** To who has paid everything, and to the others once they have. Her page links to the recordings. */
  recordings: {
    name: 'The recordings are ready',
    toAll: true,
    due: (record, now, { recordings }) =>
      recordings && recordingsOf(record, now) === 'hers'
        ? { says: (w) => saidOfRecordings(record, w) }
        : undefined,
  },
} satisfies LetterKinds;

type Reader = Pick<RegistrationRecord, 'id' | 'linksEpoch'>;

function saidOfTest(reader: Reader, w: Writing): Said {
  const { facts, timetable } = w.edition;
  const { testSession, letters } = timetable;
  const { phone } = w.office;
  const [first] = letters.wayIn;
  return {
    title: 'Come and try the room',
    blocks: [
      `Before ${facts.title} begins, we open the video room once so that you can try it. Come in with the device you are going to use, from the spot where you are going to sit.`,
      factTable([
        { label: 'When', value: w.moment(new Date(testSession.startsAt)), strong: true },
        { label: 'Length', value: formatLength(testSession.minutes) },
      ]),
      `The way in is your own page. From now until the test session is over it leads to the room. ${WITHOUT_PASSWORD}`,
      pageButton(reader, w, 'Enter the room', 'room'),
      heading('What to try'),
      factTable(whatToTry),
      first &&
        `If you can’t make it, nothing is lost. We send the way into the retreat itself on ${longDay(first.day)}, and if something doesn’t work then, we are a call away: ${phone}.`,
    ],
  };
}

const whatToTry = [
  {
    label: 'Picture',
    value: 'Can you see us, and can we see you? Light from the front is kinder than from behind.',
  },
  { label: 'Sound', value: 'Can you hear us, and can we hear you? If there is an echo, headphones help.' },
  { label: 'The buttons', value: 'Turn your camera and your microphone off and on again, once each.' },
  {
    label: 'The connection',
    value: 'If the picture stops, a place nearer to your router is the first thing to try.',
  },
];

function saidOfDay(reader: Reader, w: Writing, now: Date, day: string, isOpen: boolean): Said {
  const { facts, timetable } = w.edition;
  const { email, phone } = w.office;
  const planned = timetable.days.find(({ date }) => date === day);
  const shown = planned ?? timetable.days[0];
  const begin = `We begin on ${longDay(facts.startDate)}`;
  return {
    subject: `The way into ${w.title}: ${planned ? longDay(day) : begin.replace('We', 'we')}`,
    title: planned ? `${longDay(day)}: the way in` : begin,
    blocks: [
      planned
        ? 'Here is what the day holds, and how to come in.'
        : `${facts.title} is about to begin, and there is a place at the table for you. All you need is something to sit on, something to eat nearby, and the way into the room.`,
      isOpen
        ? `Your own page leads to the room from now until the retreat is over: press the button there when a session begins. ${WITHOUT_PASSWORD}`
        : `${OWING} It leads to the room as soon as that is done.`,
      isOpen
        ? pageButton(reader, w, 'Enter the room', 'room')
        : pageButton(reader, w, 'See what is left to pay', 'balance'),
      !isOpen &&
        `If you have just paid, thank you: your page will show it in a few minutes. If a check is on its way, or money is tight right now, write to ${email} or call ${phone}, and we will find a way. We do not want you to miss a session over it.`,
      ...(shown ? sessionsOf(shown, w, now) : []),
    ],
    questions: `If something doesn’t work, call ${phone}: we are there for the whole retreat. You can also reply to this e-mail, or write to ${email}.`,
  };
}

/**
 * From its own time until that of the next day, but no longer than the day's last session lasts. The letter
 * of the day before the retreat, which is not in `days`, is due until the first morning.
 */
function wayInDayAt({ letters, days }: Timetable, now: Date): string | undefined {
  const latest = letters.wayIn.findLast(({ at }) => new Date(at) <= now);
  const planned = days.find(({ date }) => date === latest?.day);
  const last = planned?.entries.findLast(({ session }) => session)?.session;
  const isOver = planned !== undefined && (last === undefined || now >= new Date(last.endsAt));
  return isOver ? undefined : latest?.day;
}

/** Who registers this late gets the welcome first. */
function isExpected(record: RegistrationRecord): boolean {
  return hasPlace(record) && !awaitsWelcome(record);
}

function saidOfSchedule(reader: Reader, w: Writing, now: Date): Said {
  const { fileName } = w.edition.facts.calendar;
  return {
    title: 'The schedule has changed',
    blocks: [
      // Also true for a registrant who registered when the page already showed the new schedule.
      `The schedule of our days together, ${daysOf(w.edition)}, has changed. Below is the whole schedule as it is now. It replaces any earlier one you have in an e-mail, in your calendar or on paper.`,
      'If you registered only recently, you may already have this one. In that case nothing changes for you.',
      ...scheduleBlocks(w, now),
      `To bring your calendar up to date, open the attached file, ${fileName}. Most calendars then replace the sessions from an earlier file; please make sure that none of them shows up twice.`,
      'Your own page shows the same schedule.',
      pageButton(reader, w, 'Your own page'),
    ],
    attachments: [calendarFile(w)],
  };
}

function saidOfRecordings(reader: Reader, w: Writing): Said {
  const { facts, timetable } = w.edition;
  return {
    title: 'The recordings are ready',
    blocks: [
      `The days of ${facts.title} are over, and what we recorded of them is ready for you: to come back to at your own pace, or to catch up on what you missed.`,
      `Your own page leads to the recordings, until ${lastDayOfLinks(w)}.`,
      pageButton(reader, w, 'Watch the recordings', 'recordings'),
      heading('What was recorded'),
      factTable(recordedDays(timetable).map(({ title: label, text: value }) => ({ label, value }))),
      'Only these sessions were recorded. What is said in the small groups is never recorded.',
      'Other participants may be seen and heard in them. So please watch them on your own, and don’t share them or your link.',
    ],
  };
}

/** As the office reads them before it announces what they tell. */
export const announcedWords = {
  'schedule-changed': saidOfSchedule,
  recordings: saidOfRecordings,
} as const satisfies Record<string, (reader: Reader, w: Writing, now: Date) => Said>;

export type AnnouncedLetter = keyof typeof announcedWords;
