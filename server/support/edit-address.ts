import { findJob, type MailJobs } from './mail-jobs.ts';
import { type FoundJob, goesToOffice, mailOf } from './mail-record.ts';
import { printable } from './printable.ts';
import type { Command } from './read-command.ts';
import { Refusal } from './refusal.ts';

/**
 * Corrects the address of the registration, queues a mail that has not been sent for it, then takes the one to the old
 * address away: a crash in between sends one mail too many rather than none.
 * @throws {Refusal} when it was sent, is being sent, or goes to that address already
 */
export async function editAddress(
  jobs: MailJobs,
  { id, email }: Extract<Command, { name: 'edit-address' }>,
): Promise<string> {
  const found = await findJob(jobs, id);
  const mail = { ...editableMail(found), email };
  const jobId = jobs.jobIdOf(mail);
  if ((await jobs.queue.getJobState(jobId)) !== 'unknown') {
    throw new Refusal('wrongState', `There is a mail to that address already: ${jobId}.`);
  }
  const record = await jobs.openRecord();
  await record.correctAddress(mail.paymentIntentId, email);
  await jobs.queue.add(mail.kind, mail, { jobId });
  await removeOld(found, jobId);
  return `The mail goes to ${printable(email)} now, as ${printable(jobId)}.`;
}

function editableMail({ job, state }: FoundJob) {
  const mail = mailOf(job);
  if (!mail) throw new Refusal('wrongState', `${job.id} is not a mail of this site.`);
  if (goesToOffice(mail)) {
    throw new Refusal('wrongState', `${job.id} goes to the office, whose address is OFFICE_EMAIL.`);
  }
  if (state === 'sent') throw new Refusal('wrongState', `${job.id} was sent already.`);
  if (state === 'sending') throw new Refusal('wrongState', `${job.id} is being sent right now.`);
  return mail;
}

/** BullMQ does not remove a job that a worker has just taken up. */
async function removeOld({ job }: FoundJob, newId: string): Promise<void> {
  await job.remove().catch((error: unknown) => {
    const sentence = `${newId} is queued, but ${job.id} is being sent right now and could not be taken away.`;
    throw new Refusal('failed', sentence, { cause: error });
  });
}
