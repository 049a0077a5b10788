import type Stripe from 'stripe';
import * as v from 'valibot';
import { addressDigest, type MailJob, type MailKind, mailJobSchema } from '#server/mail/queue.ts';
import { findPackage } from '#shared/retreat-package.ts';
import { isMissing } from './provider-errors.ts';
import { untraced } from './untraced.ts';

/** In an intent's metadata: whether the mail of a kind is owed, and to which address it was sent. */
const markName = (kind: MailKind): string => `mail-${kind}`;
const sentMark = (job: MailJob): string => `sent ${addressDigest(job)}`;

/** What a new intent owes. One without these marks owes nothing: it was made by hand. */
const OWED_MARKS = {
  [markName('registration-received')]: 'owed',
  [markName('office-notice')]: 'owed',
  [markName('welcome')]: 'owed once paid',
};

type IntentDetails = Pick<Stripe.PaymentIntentCreateParams, 'metadata' | 'receipt_email'>;

/** A new intent's details, with the mails that it owes from its first moment on. */
export function owing({ metadata, ...details }: IntentDetails): IntentDetails {
  return { ...details, metadata: { ...metadata, ...OWED_MARKS } };
}

/** Whether an intent is one of this site's deposits. */
export function isOurs({ metadata }: Stripe.PaymentIntent): boolean {
  return findPackage(metadata.package ?? '') !== undefined;
}

/** The welcome of an intent; undefined when its metadata does not tell whom to welcome. */
export function welcomeOf(intent: Stripe.PaymentIntent) {
  const job = mailOf('welcome', intent);
  return job?.kind === 'welcome' ? job : undefined;
}

/**
 * The mails that registrations begun since a moment owe: the received ones and the office's notices of all but closed
 * payments, the welcomes of paid ones. The newest registration comes first.
 */
export async function* owedMails(stripe: Stripe, since: Date): AsyncGenerator<MailJob> {
  const created = { gte: Math.floor(since.getTime() / 1000) };
  for await (const intent of stripe.paymentIntents.list({ created, limit: 100 })) {
    if (isOurs(intent) && intent.status !== 'canceled') yield* owedBy(intent);
  }
}

function* owedBy(intent: Stripe.PaymentIntent): Generator<MailJob> {
  const due: MailKind[] = ['registration-received', 'office-notice'];
  if (intent.status === 'succeeded') due.push('welcome');
  for (const kind of due) {
    const job = mailOf(kind, intent);
    const mark = intent.metadata[markName(kind)];
    if (job && mark && mark !== sentMark(job)) yield job;
  }
}

function mailOf(kind: MailKind, intent: Stripe.PaymentIntent): MailJob | undefined {
  const { id: paymentIntentId, amount_received: amountCents, metadata } = intent;
  const mail = v.safeParse(mailJobSchema, { ...metadata, kind, paymentIntentId, amountCents });
  return mail.success ? mail.output : undefined;
}

/** Writes to the intent that a mail was sent to its address. */
export async function markSent(stripe: Stripe, job: MailJob): Promise<void> {
  const metadata = { [markName(job.kind)]: sentMark(job) };
  await untraced(() => stripe.paymentIntents.update(job.paymentIntentId, { metadata }));
}

/** A mail of a registration, as its payment has it; undefined when there is no such registration. */
export async function findMail(
  stripe: Stripe,
  paymentIntentId: string,
  kind: MailKind,
): Promise<MailJob | undefined> {
  const intent = await retrieveIfThere(stripe, paymentIntentId);
  if (!intent || !isOurs(intent)) return undefined;
  return kind === 'welcome' && intent.status !== 'succeeded' ? undefined : mailOf(kind, intent);
}

/** Writes a corrected e-mail address to a registration's payment and customer, so that later mails go there too. */
export async function correctAddress(stripe: Stripe, paymentIntentId: string, email: string): Promise<void> {
  const intent = await retrieveIfThere(stripe, paymentIntentId);
  if (!intent || !isOurs(intent)) return;
  const customer = typeof intent.customer === 'string' ? intent.customer : intent.customer?.id;
  if (customer) await stripe.customers.update(customer, { email });
  await stripe.paymentIntents.update(intent.id, { receipt_email: email, metadata: { email } });
}

async function retrieveIfThere(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent | undefined> {
  return stripe.paymentIntents.retrieve(id).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}
