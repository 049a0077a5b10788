import type { MailKind } from '#server/mail/queue.ts';
import { jobsOfMail, type MailJobs } from './mail-jobs.ts';
import { type FoundJob, mailOf } from './mail-record.ts';
import { printable } from './printable.ts';
import type { Command } from './read-command.ts';
import { Refusal } from './refusal.ts';

/**
 * Queues a mail that was sent already once more, as it was sent last or, when the queue has forgotten it, as Stripe has
 * the registration; under an ID that no job has had, since the queue takes each ID once.
 * @throws {Refusal} when there is none, or the last one has not been sent yet
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
  const mail = (last && mailOf(last.job)) ?? (await findOnRecord(jobs, paymentIntentId, kind));
  if (!mail) throw new Refusal('noSuchMail', `There is no ${kind} mail of ${paymentIntentId}.`);
  const jobId = freshId(jobs.jobIdOf(mail), found);
  await jobs.queue.add(kind, mail, { jobId });
  return `The mail is sent once more, as ${printable(jobId)}.`;
}

async function findOnRecord(jobs: MailJobs, paymentIntentId: string, kind: MailKind) {
  const record = await jobs.openRecord();
  return record.findMail(paymentIntentId, kind);
}

function freshId(firstId: string, found: readonly FoundJob[]): string {
  const beginning = `${firstId}-again-`;
  const numbers = found
    .filter(({ job }) => job.id?.startsWith(beginning))
    .map(({ job }) => Number(job.id?.slice(beginning.length)));
  return `${beginning}${Math.max(0, ...numbers) + 1}`;
}
