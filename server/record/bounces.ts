import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import { addressDigest, addresseeOf, goesToOffice, type PersonMail } from '#server/mail/job.ts';
import { moment, unreadablePayment } from './acts.ts';

/**
 * What is known of an e-mail address: that a letter to it bounced, or that its reader complained. It is written when the
 * mail provider reports it, and when an office user marks it as resolved.
 */
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
export interface Reached {
  registrant: { email: string };
  bounced?: Bounced | undefined;
}

/** The marks of some e-mail addresses in lower case, as JSON. */
export async function readBounces(
  transaction: Transaction,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map(addresses.map((address) => [addressKey(address), address]));
  const rows = await rowsWith(transaction, 'addresses', 'digest', [...digests.keys()]);
  return new Map(rows.map(({ digest, bounced }) => [digests.get(digest) ?? '', bounced]));
}

/** Writes what is known of an e-mail address, from what is known of it now; nothing for undefined. */
export async function changeBounced(
  transaction: Transaction,
  email: string,
  change: (before: Bounced | undefined) => Bounced | undefined,
): Promise<boolean> {
  const address = email.toLowerCase();
  const text = (await readBounces(transaction, [address])).get(address);
  const mark = change(parseBounced(text));
  if (!mark) return false;
  const row = { digest: addressKey(address), bounced: JSON.stringify(mark) };
  await transaction
    .insertInto('addresses')
    .values(row)
    .onConflict((conflict) => conflict.column('digest').doUpdateSet(row))
    .execute();
  return true;
}

/** @throws {AppError} when it is not what this site writes */
export function parseBounced(text: string | undefined): Bounced | undefined {
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), bouncedSchema), text);
  if (!read.success) throw unreadablePayment('What is known of an e-mail address cannot be read');
  return read.output;
}

/** The key of an e-mail address in lower case in the table `addresses`. */
export function addressKey(address: string): string {
  return createHash('sha256').update(address).digest('hex');
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
export function isUndeliverable(letter: PersonMail, bounces: readonly (Bounced | undefined)[]): boolean {
  return !goesToOffice(letter) && bounces.some((bounced) => isDead(addresseeOf(letter), bounced));
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
  kind?: string | undefined;
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

export interface BounceRecorded {
  /** The deposits of the registrations that have the address now. */
  found: readonly string[];
  /** Those among `found` for which the event is new. */
  marked: readonly string[];
}

/**
 * Records that a letter to an address bounced, or that its reader complained about it: for all registrations that have the
 * address now, paid or not. An event that is recorded already, or about an address that nobody has any more, changes
 * nothing.
 */
export async function recordBounce(
  { database }: { database: Database },
  event: LetterEvent,
  now: Date,
): Promise<BounceRecorded> {
  return database.write(async (transaction) => {
    const found = await depositsAt(transaction, event.address);
    if (found.length === 0) return { found, marked: [] };
    const isNews = await changeBounced(transaction, event.address, (before) => bouncedBy(event, before, now));
    await noteChange(transaction, ...found);
    return { found, marked: isNews ? found : [] };
  });
}

/** Records that letters reach her again, or that a complaint was looked at. */
export async function clearBounce(
  { database }: { database: Database },
  { registrant }: Pick<Reached, 'registrant'>,
  by: string,
  now: Date,
): Promise<void> {
  await database.write(async (transaction) => {
    await changeBounced(transaction, registrant.email, (before) => {
      if (!before || before.over) return undefined;
      return { ...before, over: now, by, ...(before.type === 'bounce' && { lostUntil: now }) };
    });
    await noteChange(transaction, ...(await depositsAt(transaction, registrant.email)));
  });
}

/** The deposits of all registrations at an address. */
async function depositsAt(transaction: Transaction, address: string): Promise<string[]> {
  const rows = await rowsWith(transaction, 'registrations', 'address', [address.toLowerCase()]);
  return rows.flatMap(({ deposit }) => deposit ?? []);
}
