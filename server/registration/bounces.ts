import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import { addressDigest, addresseeOf, goesToOffice, type PersonMail } from '#server/mail/job.ts';
import { moment, unreadablePayment } from './acts.ts';

/**
 * That an e-mail address does not work: a letter to it came back, or its reader marked one as spam. It is written when the
 * mail provider reports it, and when an office user records that letters arrive again.
 */
export const bouncedSchema = v.object({
  /** When that was, by the provider's clock, and not after it was reported. */
  at: moment,
  /** The address, as its `addressDigest`. */
  to: v.string(),
  /** Since when it works again, and who said so. Letters sent there until then may be lost. */
  over: v.exactOptional(moment),
  by: v.exactOptional(v.string()),
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
 * Whether no letter reaches her current address: one came back, and nobody has recorded since that it works.
 */
export function isUnreachable({ registrant, bounced }: Reached): boolean {
  return isDead(registrant.email, bounced);
}

/** Whether a letter to her would go to an address that bounces. */
export function isUndeliverable(letter: PersonMail, bounces: readonly (Bounced | undefined)[]): boolean {
  return !goesToOffice(letter) && bounces.some((bounced) => isDead(addresseeOf(letter), bounced));
}

function isDead(address: string, bounced: Bounced | undefined): boolean {
  return bounced !== undefined && !bounced.over && bounced.to === addressDigest(address);
}

/** Whether a letter sent to an address at a moment may not have arrived. */
export function isLost({ to, at }: { to: string; at: Date }, bounced: Bounced | undefined): boolean {
  return bounced?.to === to && (!bounced.over || at <= bounced.over);
}

/** What a mail provider reports: no letter reaches an address. */
export interface LetterEvent {
  address: string;
  at: Date;
}

/** The mark after an event about her current address; undefined where the event is no news. */
export function bouncedBy(
  { address, at: happenedAt }: LetterEvent,
  before: Bounced | undefined,
  now: Date,
): Bounced | undefined {
  const to = addressDigest(address);
  const at = happenedAt < now ? happenedAt : now;
  const isKnown = before?.to === to && (!before.over || at <= before.over);
  return isKnown ? undefined : { at, to };
}

export interface BounceRecorded {
  /** The registrations, and entries of the waiting list, that have the address now. */
  found: readonly string[];
  /** Those among `found` for which the event is new. */
  marked: readonly string[];
}

/**
 * Records that letters to an address come back: for all registrations that have the
 * address now, paid or not, and for who waits with it. An event that is recorded already, or about an address that nobody has any more, changes
 * nothing.
 */
export async function recordBounce(
  { database }: { database: Database },
  event: LetterEvent,
  now: Date,
): Promise<BounceRecorded> {
  // Also where the answer to the COMMIT was lost.
  let isNews = false;
  return database.write(async (transaction) => {
    const waiting = await rowsWith(transaction, 'waitingEntries', 'address', [event.address.toLowerCase()]);
    const registrations = await registrationsAt(transaction, event.address);
    const found = [...registrations, ...waiting.map(({ id }) => id)];
    if (found.length === 0) return { found, marked: [] };
    isNews ||= await changeBounced(transaction, event.address, (before) => bouncedBy(event, before, now));
    await noteChange(transaction, ...found);
    return { found, marked: isNews ? found : [] };
  });
}

/** Records that letters reach her again. */
export async function clearBounce(
  { database }: { database: Database },
  { registrant }: Pick<Reached, 'registrant'>,
  by: string,
  now: Date,
): Promise<void> {
  await database.write(async (transaction) => {
    await changeBounced(transaction, registrant.email, (before) => {
      return before && !before.over ? { ...before, over: now, by } : undefined;
    });
    await noteChange(transaction, ...(await registrationsAt(transaction, registrant.email)));
  });
}

async function registrationsAt(transaction: Transaction, address: string): Promise<string[]> {
  const rows = await rowsWith(transaction, 'registrations', 'address', [address.toLowerCase()]);
  return rows.map(({ id }) => id);
}
