import type { Queue } from 'bullmq';
import type { MailJob } from '#server/mail/job.ts';
import { MAIL_JOB_OPTIONS, queuedAs } from '#server/mail/queued-job.ts';

/** Queues a letter under its own job id, unless it is there already. Returns the job's state before. */
export async function queueOnce(
  queue: Queue<MailJob>,
  letter: MailJob,
): Promise<Awaited<ReturnType<Queue['getJobState']>>> {
  const options = queuedAs(letter);
  const state = await queue.getJobState(options.jobId);
  if (state === 'unknown') await queue.add(letter.kind, letter, { ...MAIL_JOB_OPTIONS, ...options });
  return state;
}
