import { causeOf } from '#server/http/app-error.ts';
import { readRedisUrl, withRedis } from './connect-redis.ts';
import { dismissMail } from './dismiss-mail.ts';
import { editAddress } from './edit-address.ts';
import { listMails } from './list-mails.ts';
import type { MailJobs } from './mail-jobs.ts';
import { printable } from './printable.ts';
import { type Command, readCommand } from './read-command.ts';
import { EXIT_CODES, Refusal } from './refusal.ts';
import { resendMail } from './resend-mail.ts';
import { retryAllMails, retryMail } from './retry-mails.ts';
import { showMail } from './show-mail.ts';
import { USAGE } from './usage.ts';

/** What the command line stands on. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  /** The mail queue on a connection. */
  openJobs(redis: MailJobs['redis']): MailJobs;
  out(text: string): void;
  err(text: string): void;
}

/** Support's command line: carries out one command, and says with which code the process should end. */
export async function runMails(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, openJobs, out, err } = surroundings;
  try {
    const command = readCommand(words);
    if (command.name === 'help') out(USAGE);
    else out(`${await withRedis(readRedisUrl(env), (redis) => carryOut(command, openJobs(redis)))}\n`);
    return EXIT_CODES.done;
  } catch (error) {
    err(`${printable(causeOf(error).message)}\n`);
    const reason = error instanceof Refusal ? error.reason : 'failed';
    if (reason === 'wrongUsage') err(`\n${USAGE}`);
    return EXIT_CODES[reason];
  }
}

async function carryOut(command: Exclude<Command, { name: 'help' }>, jobs: MailJobs): Promise<string> {
  switch (command.name) {
    case 'list':
      return listMails(jobs, command);
    case 'show':
      return showMail(jobs, command);
    case 'retry':
      return retryMail(jobs, command.id);
    case 'retry-all':
      return retryAllMails(jobs);
    case 'resend':
      return resendMail(jobs, command);
    case 'edit-address':
      return editAddress(jobs, command);
    case 'dismiss':
      return dismissMail(jobs, command.id);
    case 'looked-at': {
      const record = await jobs.openRecord();
      await record.markLookedAt(command.paymentIntentId);
      return `${command.paymentIntentId} is marked as looked at and will not be reported again.`;
    }
    case 'walk':
      await jobs.askForWalk();
      return 'The worker will look through all registrations as soon as it can.';
  }
}
