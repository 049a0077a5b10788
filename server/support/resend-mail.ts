import { jobsOfMail, type MailJobs } from './mail-jobs.ts';
import type { FoundJob } from './mail-record.ts';
import { printable } from './printable.ts';
import type { Command } from './read-command.ts';
import { Refusal } from './refusal.ts';

/**
 * Queues a mail that was sent already once more, under an ID that no job has had, since the queue takes each ID once.
 * The worker sends it as the registration is by then.
 * @throws {Refusal} when there is none, what it says is not true any more, or the last one has not been sent yet
 */
export async function resendMail(
  jobs: MailJobs,
  { paymentIntentId, kind }: Extract<Command, { name: 'resend' }>,
): Promise<string> {
  const found = await jobsOfMail(jobs, paymentIntentId, kind);
  const [last] = found;
  if (last && last.state !== 'sent') {
    throw new Refusal('wrongState', `${last.job.id} has not been sent yet (it is ${last.state}).`);
  }
  const record = await jobs.openRecord();
  const mail = await record.findMail(paymentIntentId, kind);
  if (!mail)
    throw new Refusal(
      'noSuchMail',
      `There is no ${kind} mail to send for ${paymentIntentId}: what it says is not true, or there is no such payment.`,
    );
  const jobId = freshId(jobs.jobIdOf(mail), found);
  await jobs.queue.add(kind, { ...mail, again: true }, { jobId });
  return `The mail will be sent once more, as ${printable(jobId)}.`;
}

function freshId(firstId: string, found: readonly FoundJob[]): string {
  const beginning = `${firstId}-again-`;
  const numbers = found
    .filter(({ job }) => job.id?.startsWith(beginning))
    .map(({ job }) => Number(job.id?.slice(beginning.length)));
  return `${beginning}${Math.max(0, ...numbers) + 1}`;
}
