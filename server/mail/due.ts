import type { MailJob } from './job.ts';

/** Something that is due for a registration. */
export type Due =
  | { type: 'letter'; letter: MailJob }
  /** Registration is over, and this deposit unpaid. */
  | { type: 'closing'; paymentIntentId: string }
  /** It was paid, but not as this site made it, for an edition that is unknown to this release, or by nobody knows whom. */
  | { type: 'attention'; paymentIntentId: string };
