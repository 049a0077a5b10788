import { isAboutRegistration, type KeptMailKind, mailJobId, mailOf } from '#server/mail/job.ts';
import {
  type FoundJob,
  findJob,
  jobsIn,
  jobsOfMail,
  type MailJobs,
  type MailState,
  mailStateOf,
} from './mail-jobs.ts';
import { printable } from './printable.ts';
import { Refusal } from './refusal.ts';

/** Why a mail that is in a state is not retried. */
const NOT_RETRIED: Record<Exclude<MailState, 'failed' | 'delayed'>, string> = {
  waiting: 'is waiting for its turn already',
  sending: 'is being sent right now',
  sent: 'was sent already; resend sends it once more',
};

/**
 * Queues a failed mail again, with all its attempts, or brings the next try of a delayed one forward.
 * @throws {Refusal} when it is neither
 */
export async function retryMail(jobs: MailJobs, id: string): Promise<string> {
  const found = await findJob(jobs, id);
  if (await retried(jobs, found)) return `${printable(id)} will be tried again now.`;
  const { state } = await findJob(jobs, id);
  throw notRetried(id, state);
}

/** The same for all that failed or are delayed at this moment. */
export async function retryAllMails(jobs: MailJobs): Promise<string> {
  const [failed, delayed] = [await jobsIn(jobs, 'failed'), await jobsIn(jobs, 'delayed')];
  const counts = [];
  for (const all of [failed, delayed]) {
    let count = 0;
    for (const found of all) if (await retried(jobs, found)) count += 1;
    counts.push(count);
  }
  return `${counts[0]} failed and ${counts[1]} delayed mails will be tried again now.`;
}

/** Whether it was retried: it is not when its state does not allow it, or not any more. */
async function retried({ queue }: MailJobs, { job, state }: FoundJob): Promise<boolean> {
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

function notRetried(id: string, state: MailState): Refusal {
  const words = state === 'failed' || state === 'delayed' ? 'has just changed its state' : NOT_RETRIED[state];
  return new Refusal('wrongState', `${id} ${words}.`);
}

/**
 * Queues a mail that was sent already once more, under an ID that no job has had, since the queue takes each ID once.
 * The worker sends it as the registration is by then.
 * @throws {Refusal} when there is none, what it says is not true any more, or the last one has not been sent yet
 */
export async function resendMail(
  jobs: MailJobs,
  paymentIntentId: string,
  kind: KeptMailKind,
  { by: askedBy }: { by: string },
): Promise<string> {
  const found = await jobsOfMail(jobs, paymentIntentId, kind);
  const [last] = found;
  if (last && last.state !== 'sent') {
    throw new Refusal('wrongState', `${last.job.id} has not been sent yet (it is ${last.state}).`);
  }
  const record = await jobs.openRecord();
  const mail = await record.findMail(paymentIntentId, kind, await jobs.now());
  if (!mail)
    throw new Refusal(
      'noSuchMail',
      `There is no ${kind} mail to send for ${paymentIntentId}: what it says is not true, or there is no such payment.`,
    );
  const jobId = freshId(mailJobId(mail), found);
  await jobs.queue.add(kind, { ...mail, again: true, askedBy }, { jobId });
  return `The mail will be sent once more, as ${printable(jobId)}.`;
}

function freshId(firstId: string, found: readonly FoundJob[]): string {
  const beginning = `${firstId}-again-`;
  const numbers = found
    .filter(({ job }) => job.id?.startsWith(beginning))
    .map(({ job }) => Number(job.id?.slice(beginning.length)));
  return `${beginning}${Math.max(0, ...numbers) + 1}`;
}

/**
 * Takes a mail that failed, or waits, off the queue for good: its registration records that nobody wants it sent.
 * @throws {Refusal} when it was sent, or is being sent
 */
export async function dismissMail(jobs: MailJobs, id: string): Promise<string> {
  const { job, state } = await findJob(jobs, id);
  if (state === 'sent') throw new Refusal('wrongState', `${job.id} was sent already.`);
  if (state === 'sending') throw new Refusal('wrongState', `${job.id} is being sent right now.`);
  const mail = mailOf(job.data);
  if (mail && isAboutRegistration(mail)) {
    const record = await jobs.openRecord();
    await record.markDismissed(mail);
  }
  await job.remove();
  return `${printable(id)} is dismissed: it will not be sent.`;
}
