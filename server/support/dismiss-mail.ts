import { findJob, type MailJobs } from './mail-jobs.ts';
import { mailOf } from './mail-record.ts';
import { printable } from './printable.ts';
import { Refusal } from './refusal.ts';

/**
 * Takes a mail that failed, or waits, off the queue for good: its registration records that nobody wants it sent.
 * @throws {Refusal} when it was sent, or is being sent
 */
export async function dismissMail(jobs: MailJobs, id: string): Promise<string> {
  const { job, state } = await findJob(jobs, id);
  if (state === 'sent') throw new Refusal('wrongState', `${job.id} was sent already.`);
  if (state === 'sending') throw new Refusal('wrongState', `${job.id} is being sent right now.`);
  const mail = mailOf(job);
  if (mail) {
    const record = await jobs.openRecord();
    await record.markDismissed(mail);
  }
  await job.remove();
  return `${printable(id)} is dismissed: it will not be sent.`;
}
