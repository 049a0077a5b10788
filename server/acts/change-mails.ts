import { addresseeOf, goesToOffice, isMessageName, type KeptLetter } from '#server/mail/job.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import { queueLetters } from '#server/mail/queue.ts';
import { copyId, mailJobId } from '#server/mail/queued-job.ts';
import type { ActContext } from './act-context.ts';
import { type Asked, carryOut, type Told, type Tried } from './carry-out.ts';
import { type FoundJob, findJob, jobsIn, jobsOfMail, type MailState, mailStateOf } from './mail-jobs.ts';
import { impossible, Refusal } from './refusal.ts';

function nameOf(context: ActContext, { job, letter }: FoundJob): string {
  return context.nameOf(job.id ?? '', letter?.kind);
}

/** Why a mail in one of these states is not retried. */
const NOT_RETRIED: Record<Exclude<MailState, 'failed' | 'delayed'>, string> = {
  waiting: 'is waiting for its turn already',
  sending: 'is being sent right now',
  sent: 'was sent already; it can be sent once more',
};

/**
 * Retries a failed mail, with all its attempts, or a delayed one at once.
 * @throws {Refusal} when it is neither failed nor delayed
 */
export async function retryMail(context: ActContext, id: string, asked: Tried): Promise<Told> {
  const found = await findJob(context, id);
  const name = nameOf(context, found);
  if (found.state !== 'failed' && found.state !== 'delayed') throw notRetried(name, found.state);
  const says = [`${name} will be tried again now.`];
  return carryOut(asked, { says, restsOn: [id, found.state] }, async () => {
    if (await retried(context, found)) return [];
    throw notRetried(name, (await findJob(context, id)).state);
  });
}

/** The same for all mails that are failed or delayed at this moment. */
export async function retryAllMails(context: ActContext): Promise<string> {
  const [failed, delayed] = [await jobsIn(context, 'failed'), await jobsIn(context, 'delayed')];
  const counts = [];
  for (const all of [failed, delayed]) {
    let count = 0;
    for (const found of all) if (await retried(context, found)) count += 1;
    counts.push(count);
  }
  return `${counts[0]} failed and ${counts[1]} delayed mails will be tried again now.`;
}

/** Retries a mail. Returns false if its state does not allow that, or no longer. */
async function retried({ queue }: ActContext, { job, state }: FoundJob): Promise<boolean> {
  try {
    if (state === 'failed') await job.retry('failed', { resetAttemptsMade: true });
    else if (state === 'delayed') await job.promote();
    else return false;
    return true;
  } catch (error) {
    const now = await queue.getJobState(job.id ?? '');
    if (now !== 'unknown' && mailStateOf(now) === state) throw error;
    return false;
  }
}

function notRetried(name: string, state: MailState): Refusal {
  const words = state === 'failed' || state === 'delayed' ? 'has just changed its state' : NOT_RETRIED[state];
  return impossible(`${name} ${words}.`);
}

/**
 * Queues a mail that was already sent once more, under a new job ID, since the queue accepts each ID once.
 * The worker sends it with the registration's details at that time.
 * @throws {Refusal} when there is no such mail, it no longer applies, or the last one has not been sent yet
 */
export async function resendMail(
  context: ActContext,
  paymentIntentId: string,
  name: KeptLetter,
  asked: Asked,
): Promise<Told> {
  const kind = isMessageName(name) ? 'message' : name;
  const found = await jobsOfMail(context, paymentIntentId, name);
  const [last] = found;
  if (last && last.state !== 'sent') {
    throw impossible(`${nameOf(context, last)} has not been sent yet (it is ${last.state}).`);
  }
  const record = await context.openRecord();
  const mail = await record.findMail(paymentIntentId, name, await context.now());
  if (!mail)
    throw new Refusal(
      'noSuchMail',
      `There is no ${context.nameOf(`${name} mail`, kind)} to send for ${paymentIntentId}: it no longer applies, letters to her come back, or there is no such payment.`,
    );
  const letterLog = await context.openLetterLog();
  const letters = await letterLog.about(paymentIntentId);
  const first = letters.find(({ id }) => id === mailJobId(mail));
  if (first?.state === 'owed') throw impossible(`${context.nameOf(first.id, kind)} has not been sent yet.`);
  const copy = String(nextCopy(copyId(mail, ''), letters));
  const to = goesToOffice(mail) ? 'the office' : addresseeOf(mail);
  const copied = copyId(mail, copy);
  const says = [`${context.nameOf(copied, kind)} will be sent to ${to} once more.`];
  return carryOut(asked, { says, restsOn: [copied] }, async () => {
    const again = { name: copy, askedBy: asked.by };
    const id = await letterLog.oweAgain(mail, again, await context.now());
    await queueLetters(context.queue, [{ kind, id, again: true }]);
    return [];
  });
}

function nextCopy(beginning: string, letters: readonly RecordedLetter[]): number {
  const numbers = letters
    .filter(({ id }) => id.startsWith(beginning))
    .map(({ id }) => Number(id.slice(beginning.length)))
    .filter(Number.isInteger);
  return Math.max(0, ...numbers) + 1;
}

/**
 * Removes a failed or waiting mail from the queue for good, and records that it was dismissed.
 * @throws {Refusal} when it was sent, or is being sent
 */
export async function dismissMail(context: ActContext, id: string, asked: Tried): Promise<Told> {
  const found = await findJob(context, id);
  const { job, state } = found;
  const name = nameOf(context, found);
  if (state === 'sent') throw impossible(`${name} was sent already.`);
  if (state === 'sending') throw impossible(`${name} is being sent right now.`);
  const says = [`${name} is dismissed: it will not be sent.`];
  return carryOut(asked, { says, restsOn: [id, state] }, async () => {
    await (await context.openLetterLog()).dismiss(id, await context.now());
    await job.remove();
    return [];
  });
}
