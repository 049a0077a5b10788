import { copyId, type RecordedLetter } from '#server/mail/letter-log.ts';
import { readMessages } from '#server/mail/messages.ts';
import { queueLetters } from '#server/mail/queue.ts';
import { findRegistration, type RegistrationRecord } from '#server/registration/registration.ts';
import { findOwedLetter } from '#server/worker/outbox.ts';
import { type CommandContext, commandsAbout, impossible } from './command.ts';
import {
  canSendAgain,
  type FoundLetter,
  findLetter,
  letterName,
  letterStates,
  lettersIn,
} from './letters.ts';

/** A letter, and the registration that it is about, if it is about one. */
export interface LetterNow {
  found: FoundLetter;
  name: string;
  record: RegistrationRecord | undefined;
  now: Date;
}

/** @throws {Refusal} when there is no such letter */
export async function findLetterNow(context: CommandContext, id: string): Promise<LetterNow> {
  const found = await findLetter(context, id);
  const { subject = '' } = found.letter ?? {};
  const record = subject.startsWith('reg_') ? await findRegistration(context.payments, subject) : undefined;
  const isWritten = found.letter?.kind === 'message' && record;
  const messages = isWritten ? await readMessages(context.payments, record.edition) : [];
  return { found, name: letterName(found.letter, messages), record, now: context.now() };
}

const letterCommand = commandsAbout<LetterNow>();

const whatIs = ({ found, name }: LetterNow): string => `“${name}” ${letterStates[found.state]}`;

export const retry = letterCommand({
  id: 'retry',
  heading: 'Try a message again now',
  sentence: 'Tries a message at once that failed, or that waits for its next try.',
  refuses: (about) =>
    about.found.state === 'failed' || about.found.state === 'delayed' ? undefined : `${whatIs(about)}.`,
  plan: ({ about, context }) => ({
    says: [`“${about.name}” will be tried again now.`],
    async carryOut() {
      if (!(await retried(context, about.found)))
        throw impossible(`${whatIs(await findLetterNow(context, about.found.id))}.`);
      return undefined;
    },
  }),
});

/** Returns false if its state does not allow that, or no longer. */
async function retried({ queue }: CommandContext, { job, state }: FoundLetter): Promise<boolean> {
  if (!job || (state !== 'failed' && state !== 'delayed')) return false;
  try {
    if (state === 'failed') await job.retry('failed', { resetAttemptsMade: true });
    else await job.promote();
    return true;
  } catch (error) {
    // Only where it is still so did something else go wrong.
    if ((await queue.getJobState(job.id ?? '')) === state) throw error;
    return false;
  }
}

/** Tries all that are failed or delayed at this moment. */
export async function retryAll(context: CommandContext): Promise<string> {
  const counts = { failed: 0, delayed: 0 };
  for (const state of ['failed', 'delayed'] as const)
    for (const found of await lettersIn(context, state))
      if (await retried(context, found)) counts[state] += 1;
  return `${counts.failed} failed and ${counts.delayed} delayed messages will be tried again now.`;
}

export const dismiss = letterCommand({
  id: 'dismiss',
  heading: 'Dismiss a message',
  sentence: 'Takes a message that failed or waits off the queue for good: it is not sent.',
  refuses: (about) =>
    ['failed', 'delayed', 'waiting'].includes(about.found.state) ? undefined : `${whatIs(about)}.`,
  button: () => 'Dismiss it: it is not sent',
  plan: ({ about, context }) => ({
    says: [`${whatIs(about)}. It is dismissed: it will not be sent.`],
    async carryOut() {
      await context.letterLog.dismiss(about.found.id, context.now());
      await about.found.job?.remove();
      return undefined;
    },
  }),
});

const resend = letterCommand({
  id: 'resend',
  heading: 'Send a message again',
  sentence: 'Sends a message once more that was sent, to her present address, if what it says still applies.',
  refuses(about) {
    const { found, record, now } = about;
    if (found.state !== 'sent') return `${whatIs(about)}: only what was sent is sent again.`;
    const isTrue = found.letter && record && canSendAgain(found.letter, record, now);
    return isTrue ? undefined : 'What it says does not apply any more, or messages to her come back.';
  },
  button: (_, { name }) => `Send “${name}” again`,
  async plan({ about, by, context }) {
    const { found, now } = about;
    const { payments, letterLog, queue } = context;
    const mail = found.letter && (await findOwedLetter(payments, { ...found.letter, again: true }, now));
    if (!mail) throw impossible('What it says does not apply any more.');
    const copies = (await letterLog.about(mail.subject)).filter(({ id }) => id.startsWith(copyId(mail, '')));
    if (copies.some(({ state }) => state === 'owed')) throw impossible('It is being sent once more already.');
    const name = String(nextCopy(copyId(mail, ''), copies));
    const before = copies.length === 1 ? 'once' : `${copies.length} times`;
    return {
      says: [
        `“${about.name}” will be sent to ${mail.toOffice ? 'the office' : mail.address} once more.`,
        copies.length > 0 ? `It was sent again ${before} before.` : '',
      ],
      async carryOut() {
        const id = await letterLog.oweAgain(mail, { name, askedBy: by }, now);
        await queueLetters(queue, [{ kind: mail.kind, id, again: true }]);
        return undefined;
      },
    };
  },
});

function nextCopy(beginning: string, copies: readonly RecordedLetter[]): number {
  const numbers = copies.map(({ id }) => Number(id.slice(beginning.length))).filter(Number.isInteger);
  return Math.max(0, ...numbers) + 1;
}

export const letterCommands = [resend, retry, dismiss];
