import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import type { Facts, ScheduledSession } from './edition.ts';
import type { MailOffice } from './mails.ts';

/** `2027-03-08` -> `Monday, March 8`. */
const longDay = (isoDate: string): string => `${formatWeekday(isoDate)}, ${formatMonthAndDay(isoDate)}`;

/** The same with plain spaces: subjects are not wrapped. */
const inSubject = (isoDate: string): string => longDay(isoDate).replaceAll('\u00a0', ' ');

/** To everybody with a place, about a week before the retreat. */
export const testSessionMail = {
  subject: ({ title }: Facts) => `Try it with us: the test session of ${title}`,
  preheader: ({ start }: ScheduledSession) =>
    `${longDay(start.slice(0, 10))}: picture, sound, and the way in. Your own page leads there.`,
  title: 'Come and try the room',
  intro: ({ title }: Facts) =>
    `Before ${title} begins, we open the video room once so that you can try it. Come in with the device that you are going to use, from the place where you are going to sit.`,
  when: 'When',
  length: 'Length',
  whatToTry: 'What to try',
  points: [
    {
      title: 'Picture',
      text: 'Do you see us, and do we see you? Light from the front is kinder than from behind.',
    },
    { title: 'Sound', text: 'Do you hear us, and do we hear you? If there is an echo, headphones help.' },
    { title: 'The buttons', text: 'Turn your camera and your microphone off, and on again, once each.' },
    {
      title: 'The connection',
      text: 'If the picture stops, a place nearer to your router is the first thing to try.',
    },
  ],
  wayIn:
    'The way in is your own page. From now until the test session is over it leads to the room, and the link below opens it without a password. Please keep it to yourself.',
  /** @param firstDay when the first letter with the way in is sent: an ISO date */
  cannotCome: (firstDay: string, { phone }: MailOffice) =>
    `If you cannot come, nothing is lost. The way into the retreat itself comes on ${longDay(firstDay)}, and if something does not work then, we are a call away: ${phone}.`,
} as const;

/** To everybody with a place, the day before the retreat and each of its mornings. */
export const wayInMail = {
  /** The letter's name, without a day. */
  name: ({ title }: Facts) => `The way into ${title}`,
  subject: {
    before: ({ title, startDate }: Facts) => `The way into ${title}: we begin on ${inSubject(startDate)}`,
    onTheDay: ({ title }: Facts, day: string) => `The way into ${title}: ${inSubject(day)}`,
  },
  preheader: {
    open: 'Your own page leads to the room. Here are the sessions, and their hours.',
    owing: 'Here are the sessions, and what is left before the room opens to you.',
  },
  title: {
    before: ({ startDate }: Facts) => `We begin on ${longDay(startDate)}`,
    onTheDay: (day: string) => `${longDay(day)}: the way in`,
  },
  intro: {
    before: ({ title }: Facts) =>
      `${title} is about to begin, and there is a place at the table for you. All you need is something to sit on, something to eat nearby, and the way into the room.`,
    onTheDay: 'This is what the day holds, and how to come in.',
  },
  open: 'Your own page leads to the room, from now until the retreat is over: press the button there when a session begins. The link below opens your page without a password, so please keep it to yourself.',
  owing:
    'Before the room opens to you, one thing is left: your balance. Your own page shows what is left and how to pay it, and leads to the room as soon as that is done.',
  owingHelp: ({ email, phone }: MailOffice) =>
    `If you have just paid, thank you: the page knows in a few minutes. If a check is on its way, or this is difficult at the moment, write to ${email} or call ${phone}, and we will find a way. We do not want you to miss a session over it.`,
  sessions: 'The sessions',
  questions: ({ email, phone }: MailOffice) =>
    `If something does not work, call ${phone}: we are there for as long as the retreat lasts. You can also reply to this e-mail, or write to ${email}.`,
} as const;
