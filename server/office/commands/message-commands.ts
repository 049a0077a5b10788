import * as v from 'valibot';
import {
  messageId,
  messageLetter,
  messageWords,
  SAMPLE_NAME,
  testLetter,
  type Written,
} from '#server/letters/message.ts';
import {
  type MessageLetter,
  readMessageLetters,
  sendMessage,
  stopMessage as stop,
  testMessage,
} from '#server/letters/messages.ts';
import { oweLetters, queueLetters } from '#server/letters/queue.ts';
import { groupWords, moment, peopleDo } from '#server/office/words.ts';
import { hasPlace, linksEndAt, type RegistrationRecord } from '#server/registration/registration.ts';
import { folded } from '#server/registration/search-text.ts';
import { type Group, isInGroup, registrationsOf } from '#server/worker/registration-index.ts';
import { type EditionNow, editionCommand, PREVIEWED, readingOf } from './announce-commands.ts';
import { type Call, commandsAbout, impossible } from './command.ts';
import { messageSubject, messageText } from './inputs.ts';

/** The groups of the list to which the office can write, the usual one first. */
const audiences = [
  ...(['registered', 'paid', 'due', 'late', 'by-check', 'waived'] as const),
  ...(['unpaid', 'cancelled', 'refunded', 'all'] as const),
] satisfies Group[];
export type Audience = (typeof audiences)[number];

export const isAudience = (group: unknown): group is Audience => audiences.some((one) => one === group);

/** The words for a group; another release may know others. */
export const audienceWords = (group: string): string => (isAudience(group) ? groupWords[group] : group);

/** To send the same words once more reaches those who have not had them. */
export const writeMessage = editionCommand({
  id: 'write',
  heading: 'Write a message',
  sentence:
    'Writes to everybody who has a place, or to others on the list. It must be about the retreat: advertising needs an agreement of its own. All get the same words, which are kept: please write nothing about one person.',
  fields: {
    to: {
      takes: v.picklist(audiences, 'Please choose to whom'),
      label: 'To',
      hint: 'The filters of the list. “Registered” are all who have a place; “All” are also those who cancelled, or did not pay.',
      initial: () => 'registered',
      choices: Object.fromEntries(audiences.map((group) => [group, groupWords[group]])),
    },
    subject: { takes: messageSubject, label: 'Subject' },
    text: {
      takes: messageText,
      label: 'Text',
      hint: 'Leave a line empty between paragraphs. {first name} stands for her first name; {link} on a line of its own becomes the button to her page. Addresses that begin with https:// become links. The message begins with “Dear …,” and ends with “Warmly,” by itself.',
      input: 'text',
    },
  },
  refuses: ({ edition: { facts }, now }) =>
    now < linksEndAt(facts) ? undefined : 'The pages of registrants are closed by now.',
  button: () => 'Send it to these people',
  async plan(call, { to, subject, text }) {
    const { about, by, context } = call;
    const { edition, now } = about;
    const written = { message: messageId(edition, subject, text), subject, text, to };
    const { letters, had, unreached } = await findReaders(call, written);
    if (letters.length === 0)
      throw impossible(
        had > 0
          ? 'Everybody among these people has had this very message, or is to get it: nobody is left.'
          : 'There is nobody among these people whom a message would reach.',
      );
    const minutes = Math.ceil(letters.length / context.config.mail.perSecond / 60);
    return {
      says: [
        {
          rows: [
            ['To', audienceWords(to)],
            ['Messages', String(letters.length)],
            ['Had it before', had > 0 ? `${had}: they do not get it again` : ''],
            ['Left out', unreached > 0 ? `${unreached}: no message reaches them now` : ''],
          ],
        },
        `${peopleDo(letters.length, 'gets', 'get')} this message, one each, within about ${minutes === 1 ? 'a minute' : `${minutes} minutes`}. Messages about money, and to one person, go before it.`,
        'Who is not among them any more by then does not get it. You can stop it at any time.',
        `This is the message, as somebody reads it whose name is ${SAMPLE_NAME}.`,
        readingOf(
          context,
          edition,
          'message',
          (w) => messageWords(written, SAMPLE_NAME, w, to === 'unpaid' ? undefined : PREVIEWED),
          SAMPLE_NAME,
        ),
      ],
      async carryOut() {
        const ids = await sendMessage(context.payments, edition, written, letters, { at: now, by });
        const owed = ids.map((id) => ({ kind: 'message', id }) as const);
        // What cannot be queued now the worker queues minutes later.
        await queueLetters(context.queue, owed).catch(() => {});
      },
    };
  },
  trial: {
    words: 'Send a test to the office',
    async run({ about: { edition, now }, by, context: { payments, letterLog, queue } }, { subject, text }) {
      const written = await testMessage(payments, edition, { subject, text }, { at: now, by });
      await oweLetters([testLetter(edition, written)], { queue, letterLog, now });
      return 'A test is on its way to the office’s own address. Nobody else gets it.';
    },
  },
});

/** Who gets a letter, how many have had it or are to get it, and how many no message reaches now. */
async function findReaders(
  { about: { edition, now }, context: { payments } }: Call<EditionNow>,
  { to, ...written }: Written & { to: Audience },
) {
  const before = await readMessageLetters(payments, written.message);
  const hadIt = new Set(before.flatMap(({ subject, state }) => (state === 'dropped' ? [] : subject)));
  const all = (await registrationsOf(payments, edition)).map((record) => {
    const isMeant = isInGroup(record, to, now);
    return { record, isMeant, rank: 2 * Number(hasPlace(record)) + Number(isMeant) };
  });
  // Of several registrations of one person, that with the place counts.
  const people = new Map(
    all.toSorted((one, other) => one.rank - other.rank).map((one) => [personOf(one.record), one]),
  );
  const meant = [...people.values()].flatMap(({ record, isMeant }) => (isMeant ? record : []));
  const open = meant.filter(({ id }) => !hadIt.has(id));
  const letters = open.flatMap((record) => messageLetter(record, written) ?? []);
  return { letters, had: meant.length - open.length, unreached: open.length - letters.length };
}

function personOf({ registrant: { firstName, lastName, email } }: RegistrationRecord): string {
  return `${email.toLowerCase()} ${folded(`${firstName} ${lastName}`)}`;
}

/** How many have had it changes while it is being sent, and must not keep it from being stopped. */
const messageCommand = commandsAbout<EditionNow>(({ messages }) =>
  messages.map(({ message, sendings, stopped }) => [message, sendings.length, stopped]),
);

export const stopMessage = messageCommand({
  id: 'stop-message',
  heading: 'Stop a message',
  sentence: 'What is not sent yet is not sent.',
  fields: {
    message: {
      takes: v.pipe(v.string(), v.nonEmpty('Please choose a message')),
      label: 'Message',
      choices: ({ messages }) =>
        messages.flatMap(({ message, subject, stopped }) =>
          stopped ? [] : { value: message, words: subject },
        ),
    },
  },
  refuses: ({ messages }) =>
    messages.some(({ stopped }) => !stopped) ? undefined : 'There is no message to stop.',
  button: () => 'Stop it',
  async plan({ about: { edition, messages }, by, context }, { message: id }) {
    const { payments } = context;
    const { subject, stopped } = messages.find((one) => one.message === id) ?? {};
    if (stopped)
      throw impossible(
        `It was stopped on ${moment(stopped.at, { edition })} by ${stopped.by}: nothing more of it is sent.`,
      );
    const letters = await readMessageLetters(payments, id);
    const count = (wanted: MessageLetter['state']) => letters.filter(({ state }) => state === wanted).length;
    if (count('owed') === 0) throw impossible('Nothing of it waits: there is nothing to stop.');
    return {
      says: [
        `“${subject}” is stopped: ${peopleHave(count('owed'))} not had it, and will not get it.`,
        `${peopleHave(count('sent'))} had it already. A message that is being sent in this moment still goes out.`,
        'To send the same words once more later reaches those who have not had them.',
      ],
      async carryOut() {
        const dropped = await stop(payments, edition, id, { at: context.now(), by });
        return { says: [dropped === 1 ? 'One message was stopped.' : `${dropped} messages were stopped.`] };
      },
    };
  },
});

const peopleHave = (count: number): string => peopleDo(count, 'has', 'have');
