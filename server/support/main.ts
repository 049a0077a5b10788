import { Queue } from 'bullmq';
import { readVariable } from '#server/config/secret-files.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME, mailJobId } from '#server/mail/job.ts';
import { composeMessage } from '#server/mail/letters/compose-message.ts';
import { WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from '#server/mail/walk.ts';
import type { Surroundings } from './run-mails.ts';
import { runMails } from './run-mails.ts';

/** No subject speaks of these. */
const NOBODY = { office: { email: 'office@site.invalid', phone: '' }, siteUrl: 'https://site.invalid' };

const openJobs: Surroundings['openJobs'] = (redis) => {
  const queue = new Queue<unknown>(MAIL_QUEUE_NAME, {
    connection: redis,
    defaultJobOptions: MAIL_JOB_OPTIONS,
  });
  queue.on('error', () => {
    // Told by the command that it stops.
  });
  return {
    queue,
    redis,
    jobIdOf: mailJobId,
    subjectOf: (mail) => composeMessage(mail, NOBODY).subject,
    openRecord,
    async askForWalk() {
      const walks = new Queue<null>(WALK_QUEUE_NAME, { connection: redis });
      walks.on('error', () => {
        // Told by the command that it stops.
      });
      await walks.add(WALK_NOW, null, WALK_NOW_OPTIONS);
    },
  };
};

/** The SDK is loaded by the few commands that need it. */
async function openRecord() {
  const secretKey = readVariable(process.env, 'STRIPE_SECRET_KEY');
  const apiBase = readVariable(process.env, 'STRIPE_API_BASE');
  if (!secretKey) throw new Error('STRIPE_SECRET_KEY is missing: the registration is looked up at Stripe.');
  const { createPayments } = await import('#server/payments/payments.ts');
  return createPayments({ secretKey, apiBase });
}

// `support list | head` reads no more than it wants.
process.stdout.on('error', () => process.exit());

// Support's command line: `node dist/support.js COMMAND …`, or `npm run support -- COMMAND …`.
process.exitCode = await runMails(process.argv.slice(2), {
  env: process.env,
  openJobs,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
