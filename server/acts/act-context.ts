import type { Queue } from 'bullmq';
import type { PlaceLinks } from '#server/links/place-links.ts';
import type { MailJob, MailKind } from '#server/mail/job.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Edition } from '#shared/content/edition.ts';
import { Refusal } from './refusal.ts';

/** A letter as its reader sees it; the link to her page is a stand-in. */
export interface LetterReading {
  subject: string;
  text: string;
}

/** What acts work on. */
export interface ActContext {
  /** The mail queue; what its jobs hold is checked when it is read. */
  queue: Queue<unknown>;
  /** The queue's connection. */
  redis: RedisClient;
  /** A mail's subject as its reader sees it. */
  subjectOf(mail: MailJob): string;
  /** A mail as it will be read, without the link to her page. */
  readingOf(mail: MailJob): LetterReading;
  /** What the people who act call a mail: its ID, or what it is in words; of no kind if it cannot be read. */
  nameOf(id: string, kind: MailKind | undefined): string;
  /** The registrations of an edition, by the list: money is not read from it, and it may be some hours old. */
  list(edition: Edition): Promise<readonly RegistrationRecord[]>;
  /** Stripe's record of the registrations. */
  openRecord(): Promise<Register>;
  /** What makes links to a registrant's page. */
  openLinks(): Promise<PlaceLinks>;
  /** The date by which the site does business. */
  now(): Promise<Date>;
  /** Asks the workers to look all registrations through. */
  askForWalk(): Promise<void>;
}

/** Where registrations are on record, beside the mails that are queued. */
export type Register = Pick<
  Payments,
  | 'findMail'
  | 'correctDetails'
  | 'correctAddress'
  | 'findDisputes'
  | 'forget'
  | 'findLeftovers'
  | 'markDismissed'
  | 'callBounceOver'
  | 'markLookedAt'
  | 'findRegistration'
  | 'readAnnouncements'
  | 'announce'
  | 'decide'
  | 'renewLinks'
  | 'waiting'
>;

/** @throws {Refusal} when Stripe knows no registration of this ID */
export async function findRegistrationOf(
  context: ActContext,
  paymentIntentId: string,
): Promise<RegistrationRecord> {
  const register = await context.openRecord();
  const record = await register.findRegistration(paymentIntentId);
  if (!record) throw new Refusal('noSuchMail', `There is no registration ${paymentIntentId}.`);
  return record;
}
