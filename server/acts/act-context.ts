import type { OwnPageLinks } from '#server/links/own-page-links.ts';
import type { MailJob, MailKind } from '#server/mail/job.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Admission } from '#server/register/waiting-list.ts';
import type { Edition } from '#shared/content/edition.ts';
import { Refusal } from './refusal.ts';

/** A letter as its reader sees it; the link to her page is a placeholder. */
export interface LetterReading {
  subject: string;
  text: string;
  html: string;
}

/** The dependencies of acts. */
export interface ActContext {
  queue: LetterQueue;
  /** The queue's connection. */
  redis: RedisClient;
  /** A mail as it will be read, without the link to her page. */
  readingOf(mail: MailJob): LetterReading;
  /** The name of a mail for the person who acts: its ID, or a description; `kind` is undefined if it cannot be read. */
  nameOf(id: string, kind: MailKind | undefined): string;
  /**
   * The registrations of an edition as they are on record: not for decisions about money, as a webhook may have been
   * lost.
   */
  list(edition: Edition): Promise<readonly RegistrationRecord[]>;
  /** Registrations and payments, on record and at Stripe. */
  openRecord(): Promise<Payments>;
  /** The letters that are owed, and what happened to them. */
  openLetterLog(): Promise<LetterLog>;
  /** The places, and who waits for one. */
  openAdmission(): Promise<Admission>;
  /** Makes links to registrants' pages. */
  openLinks(): Promise<OwnPageLinks>;
  /** The present time by the site's clock. */
  now(): Promise<Date>;
  /** Asks the worker to do what is due now. */
  askForDueWork(): Promise<void>;
  /** How many letters go out in a second at most. */
  mailPerSecond: number;
}

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
