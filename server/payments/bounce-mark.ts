import type Stripe from 'stripe';
import * as v from 'valibot';
import { addresseeOf, goesToOffice, type PersonMail } from '#server/mail/job.ts';
import { addressDigest } from './address-digest.ts';
import { moment } from './decisions.ts';
import { unreadablePayment } from './provider-errors.ts';
import { metadataOf } from './recognise-deposit.ts';

/**
 * In the metadata of the customer: that a letter to her address bounced, or that she complained of one. The app writes it when
 * the mail provider tells so, and the user of the office who calls it over; each names what stood there before.
 */
export const BOUNCED_MARK = 'bounced';

export const bouncedSchema = v.object({
  /** When it bounced, or she complained, by the site's date. */
  at: moment,
  type: v.picklist(['bounce', 'complaint']),
  /** Of which address, see `addressDigest`. */
  to: v.string(),
  /** Which letter it was, if that is known. */
  kind: v.exactOptional(v.string()),
  /** Since when it holds no more: letters go there again, or somebody looked at the complaint. */
  over: v.exactOptional(moment),
  /** Who said so; absent where it was the first letter that did not arrive, and another one is tried. */
  by: v.exactOptional(v.string()),
  /** What was sent there until then may be lost: it told her nothing. */
  lostUntil: v.exactOptional(moment),
});
export type Bounced = v.InferOutput<typeof bouncedSchema>;

/** What a letter's event is about, of her who registered or waits. */
interface Reached {
  registrant: { email: string };
  bounced?: Bounced;
}

/** @throws {AppError} when there is something else under the mark than this site writes */
export function readBounced(customer: Stripe.PaymentIntent['customer']): Bounced | undefined {
  const text = metadataOf(customer)[BOUNCED_MARK];
  if (!text) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), bouncedSchema), text);
  if (read.success) return read.output;
  const id = typeof customer === 'string' ? customer : customer?.id;
  throw unreadablePayment(`${id} has metadata under ${BOUNCED_MARK} that cannot be read`);
}

/** Whether no letter reaches her present address: one bounced, and nobody has said since that it works. */
export function isUnreachable({ registrant, bounced }: Reached): boolean {
  return isDead(registrant.email, bounced);
}

/** Whether she complained of a letter to her present address, and nobody has looked at that. */
export function hasComplained({ registrant, bounced }: Reached): boolean {
  return bounced?.type === 'complaint' && !bounced.over && bounced.to === addressDigest(registrant.email);
}

/** Whether a letter to her would go to an address that takes none. */
export function isUndeliverable(letter: PersonMail, bounced: Bounced | undefined): boolean {
  return !goesToOffice(letter) && isDead(addresseeOf(letter), bounced);
}

function isDead(address: string, bounced: Bounced | undefined): boolean {
  return bounced?.type === 'bounce' && !bounced.over && bounced.to === addressDigest(address);
}

/** Whether what was sent to an address at a moment may not have arrived there. */
export function isLost({ to, at }: { to: string; at: Date }, bounced: Bounced | undefined): boolean {
  if (bounced?.to !== to) return false;
  const isOpen = bounced.type === 'bounce' && !bounced.over;
  return isOpen || (bounced.lostUntil !== undefined && at <= bounced.lostUntil);
}

/** What a mail provider tells of a letter. */
export interface LetterEvent {
  type: 'bounce' | 'complaint';
  /** Whether a bounce is one of an address that takes no letters; else this letter is lost, and another may arrive. */
  permanent: boolean;
  address: string;
  at: Date;
  kind?: string;
}

/**
 * The mark after an event of her present address; undefined where it tells nothing new. A letter that is lost is over at once,
 * so that what it announced is announced again; after the second one the address is taken to be dead, so that this does not
 * go on for ever.
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
