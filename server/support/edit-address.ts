import {
  isAboutRegistration,
  MAIL_KINDS,
  type MailJob,
  mailJobId,
  mailOf,
  mailRules,
} from '#server/mail/job.ts';
import { type FoundJob, findJob, jobsOfMail, type MailJobs } from './mail-jobs.ts';
import { printable } from './printable.ts';
import { Refusal } from './refusal.ts';

/** The letters that go to the registrant's address. */
const ADDRESSED = MAIL_KINDS.filter((kind) => mailRules[kind].to === 'registrant');

/**
 * Corrects the address of a registration, whether its mails were sent or not, queues what is due to the new one, then
 * takes what waits for the old one away: a crash in between leaves a mail that is not due any more, and is not sent.
 * @throws {Refusal} when there is no such registration, or it is closed
 */
export async function editAddress(jobs: MailJobs, id: string, email: string): Promise<string> {
  const paymentIntentId = await registrationOf(jobs, id);
  const record = await jobs.openRecord();
  const due = await record.correctAddress(paymentIntentId, email, 'the office', await jobs.now());
  if (!due) throw new Refusal('wrongState', `There is no open or paid registration ${paymentIntentId}.`);
  for (const mail of due) await jobs.queue.add(mail.kind, mail, { jobId: mailJobId(mail) });
  await removeUnsent(jobs, paymentIntentId, email);
  const letters = due.map((mail) => printable(mailJobId(mail)));
  const queued =
    letters.length > 0 ? `These mails are queued: ${letters.join(', ')}.` : 'No mail needs to be sent to it.';
  return `The address of ${paymentIntentId} is ${printable(email)} now. ${queued}`;
}

/** An ID is a mail's or a payment's. */
async function registrationOf(jobs: MailJobs, id: string): Promise<string> {
  if (/^pi_\w+$/.test(id)) return id;
  const { job } = await findJob(jobs, id);
  const mail = mailOf(job.data);
  if (!mail || !isAboutRegistration(mail))
    throw new Refusal('wrongState', `${job.id} is not a mail about a registration.`);
  return mail.paymentIntentId;
}

/** BullMQ does not remove a job that a worker has just taken up; the worker looks whether it is due still. */
async function removeUnsent(jobs: MailJobs, paymentIntentId: string, email: string): Promise<void> {
  const found = await Promise.all(ADDRESSED.map((kind) => jobsOfMail(jobs, paymentIntentId, kind)));
  const misaddressed = found.flat().filter((one) => isUnsent(one) && !goesTo(mailOf(one.job.data), email));
  for (const { job } of misaddressed)
    if ((await jobs.queue.getJobState(job.id ?? '')) !== 'active') await job.remove();
}

function isUnsent({ state }: FoundJob): boolean {
  return state !== 'sent' && state !== 'sending';
}

function goesTo(mail: MailJob | undefined, email: string): boolean {
  return mail !== undefined && isAboutRegistration(mail) && mail.email.toLowerCase() === email.toLowerCase();
}
