import type Stripe from 'stripe';
import * as v from 'valibot';
import { addresseeOf, goesToOffice, type PersonMail } from '#server/mail/job.ts';
import { addressDigest } from '#server/mail/queued-job.ts';
import { moment } from './decisions.ts';
import { unreadablePayment } from './provider-errors.ts';
import { metadataOf } from './recognise-deposit.ts';

/**
 * In the metadata of the customer: that a letter to her address bounced, or that she complained about one. It
 * is written when the mail provider reports it, and when an office user marks it as resolved; each write is
 * conditional on the previous value.
 */
export const BOUNCED_MARK = 'bounced';

export const bouncedSchema = v.object({
  /** When it bounced, or she complained, by the site's clock. */
  at: moment,
  type: v.picklist(['bounce', 'complaint']),
  /** The address, as its `addressDigest`. */
  to: v.string(),
  /** Which letter it was, if that is known. */
  kind: v.exactOptional(v.string()),
  /** Since when it is resolved: letters go there again, or somebody looked at the complaint. */
  over: v.exactOptional(moment),
  /**
   * Who resolved it; absent after a first temporary bounce, which is resolved at once so that another letter
   * is sent.
   */
  by: v.exactOptional(v.string()),
  /** Letters sent there until then may be lost: they do not count as received. */
  lostUntil: v.exactOptional(moment),
});
export type Bounced = v.InferOutput<typeof bouncedSchema>;

/** The parts of a registration or waiting-list entry that say whether letters reach her. */
interface Reached {
  registrant: { email: string };
  bounced?: Bounced;
}

/** @throws {AppError} when the mark holds data that this site did not write */
export function readBounced(customer: Stripe.PaymentIntent['customer']): Bounced | undefined {
  const text = metadataOf(customer)[BOUNCED_MARK];
  if (!text) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), bouncedSchema), text);
  if (read.success) return read.output;
  const id = typeof customer === 'string' ? customer : customer?.id;
  throw unreadablePayment(`${id} has metadata under ${BOUNCED_MARK} that cannot be read`);
}

/**
 * Whether no letter reaches her current address: one bounced, and nobody has marked that as resolved since.
 */
export function isUnreachable({ registrant, bounced }: Reached): boolean {
  return isDead(registrant.email, bounced);
}

/** Whether she complained about a letter to her current address, and nobody has looked at that. */
export function hasComplained({ registrant, bounced }: Reached): boolean {
  return bounced?.type === 'complaint' && !bounced.over && bounced.to === addressDigest(registrant.email);
}

/** Whether a letter to her would go to an address that bounces. */
export function isUndeliverable(letter: PersonMail, bounced: Bounced | undefined): boolean {
  return !goesToOffice(letter) && isDead(addresseeOf(letter), bounced);
}

function isDead(address: string, bounced: Bounced | undefined): boolean {
  return bounced?.type === 'bounce' && !bounced.over && bounced.to === addressDigest(address);
}

/** Whether a letter sent to an address at a moment may not have arrived. */
export function isLost({ to, at }: { to: string; at: Date }, bounced: Bounced | undefined): boolean {
  if (bounced?.to !== to) return false;
  const isOpen = bounced.type === 'bounce' && !bounced.over;
  return isOpen || (bounced.lostUntil !== undefined && at <= bounced.lostUntil);
}

/** What a mail provider reports about a letter. */
export interface LetterEvent {
  type: 'bounce' | 'complaint';
  /**
   * Whether a bounce means that the address takes no letters; else only this letter is lost, and another may
   * arrive.
   */
  permanent: boolean;
  address: string;
  at: Date;
  kind?: string;
}

/**
 * The mark after an event about her current address; undefined where the event is no news. A first temporary
 * bounce is marked as resolved at once, so that the lost letter is sent again; after the second one the
 * address is treated as dead, so that this does not go on for ever.
 */
export function bouncedBy(
  { type, permanent, address, kind, ...event }: LetterEvent,
  before: Bounced | undefined,
  now: Date,
): Bounced | undefined {
  const to = addressDigest(address);
  const at = event.at < now ? event.at : now;
  const same = before?.to === to ? before : undefined;
  const mark = { at, type, to, ...(kind !== undefined && { kind }) };
  const isOpen = same !== undefined && !same.over;
  if (type === 'complaint') {
    const isKnown = same?.type === 'complaint' && same.over !== undefined && at <= same.over;
    if (isOpen || isKnown) return undefined;
    return { ...mark, ...(same?.lostUntil && { lostUntil: same.lostUntil }) };
  }
  if (isOpen && same.type === 'bounce') return undefined;
  if (same?.lostUntil && at <= same.lostUntil) return undefined;
  if (permanent || same?.lostUntil) return mark;
  return isOpen ? { ...same, lostUntil: now } : { ...mark, over: now, lostUntil: now };
}
