import type { MailJob } from '#server/mail/job.ts';
import type { Message, MessageContext } from './message.ts';
import { registrationReceived } from './registration-received.tsx';
import { welcome } from './welcome.tsx';

/** The mail that a job stands for. */
export function composeMessage(job: MailJob, context: MessageContext): Message {
  switch (job.kind) {
    case 'registration-received':
      return registrationReceived(job, context);
    case 'welcome':
      return welcome(job, context);
  }
}
