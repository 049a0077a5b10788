import { MAIL_KINDS, type MailKind } from './job.ts';

/**
 * The Message-ID of a job's mail. It derives from the job, so that a mail sent twice is recognized as the
 * same one.
 */
export function messageIdOf(jobId: string, from: string): string {
  return `<${jobId}@${domainOf(from)}>`;
}

/** Which letter a Message-ID of this site names. */
export interface NamedLetter {
  kind: MailKind;
  /** The payment of the registration that the letter is about. */
  paymentIntentId?: string;
  /** The entry of the waiting list that the letter is about. */
  waitingId?: string;
}

/** The longest first, because one kind may be the beginning of another. */
const KINDS = MAIL_KINDS.toSorted((one, other) => other.length - one.length).join('|');
/**
 * Kind, subject and version, as `mailJobId` combines them; for a letter that was asked for again, followed by
 * one more name.
 */
const JOB_ID = new RegExp(`^(${KINDS})-((?:pi|waiting)_\\w+|[\\w-]+?)-[\\w-]+$`);

const MOST_LENGTH = 300;

/** The letter that a Message-ID names, with or without its brackets; undefined for one that this site has not made. */
export function letterOf(messageId: string, from: string): NamedLetter | undefined {
  const [jobId = '', domain, ...rest] = messageId.slice(0, MOST_LENGTH).replace(/^<|>$/g, '').split('@');
  const [, name, about = ''] = (domain === domainOf(from) && rest.length === 0 && JOB_ID.exec(jobId)) || [];
  const kind = MAIL_KINDS.find((one) => one === name);
  if (!kind) return undefined;
  if (about.startsWith('pi_')) return { kind, paymentIntentId: about };
  return about.startsWith('waiting_') ? { kind, waitingId: about } : { kind };
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
}
