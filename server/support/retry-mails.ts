import { findJob, jobsIn, type MailJobs } from './mail-jobs.ts';
import { type FoundJob, type MailState, mailStateOf } from './mail-record.ts';
import { printable } from './printable.ts';
import { Refusal } from './refusal.ts';

/** Why a mail that is in a state is not retried. */
const NOT_RETRIED: Record<Exclude<MailState, 'failed' | 'delayed'>, string> = {
  waiting: 'is waiting for its turn already',
  sending: 'is being sent right now',
  sent: 'was sent already; resend sends it once more',
};

/**
 * Queues a failed mail anew, with all its attempts, or brings the next try of a delayed one forward.
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
