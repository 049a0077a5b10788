import { MAIL_KINDS, type MailKind } from './job.ts';

/** The Message-ID of the mail that a job brings: it derives from the job, so that a mail sent twice is recognised. */
export function messageIdOf(jobId: string, from: string): string {
  return `<${jobId}@${domainOf(from)}>`;
}

/** Which letter a Message-ID of this site names. */
export interface NamedLetter {
  kind: MailKind;
  /** Whose registration it is about. */
  paymentIntentId?: string;
  /** Or about whom, who has none. */
  customerId?: string;
}

/** The longest first, as one may begin like another. */
const KINDS = MAIL_KINDS.toSorted((one, other) => other.length - one.length).join('|');
/** Kind, what it is about, and version, as `mailJobId` puts them together; for who asked again, a name more. */
const JOB_ID = new RegExp(`^(${KINDS})-((?:pi|cus)_\\w+|[\\w-]+?)-[\\w-]+$`);

const MOST_LENGTH = 300;

/** The letter that a Message-ID names, with or without its brackets; undefined for one that this site has not made. */
export function letterOf(messageId: string, from: string): NamedLetter | undefined {
  const [jobId = '', domain, ...rest] = messageId.slice(0, MOST_LENGTH).replace(/^<|>$/g, '').split('@');
  const [, name, about = ''] = (domain === domainOf(from) && rest.length === 0 && JOB_ID.exec(jobId)) || [];
  const kind = MAIL_KINDS.find((one) => one === name);
  if (!kind) return undefined;
  if (about.startsWith('pi_')) return { kind, paymentIntentId: about };
  return about.startsWith('cus_') ? { kind, customerId: about } : { kind };
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
}
