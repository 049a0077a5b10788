import { type Database, noteChange, rowsWith, type Transaction } from '#server/database/database.ts';
import type { Done } from './act-kinds.ts';
import { addressDigest, sha256Of } from './seal.ts';

/**
 * That an e-mail address does not work: a letter to it came back, or its reader marked one as spam. It is written when the
 * mail provider reports it, and when an office user records that letters arrive again.
 */
export interface Bounced {
  /** When that was, by the provider's clock, and not after it was reported. */
  at: Date;
  /** The address, as its `addressDigest`. */
  to: string;
  /** Since when it works again, and who said so. Letters sent there until then may be lost. */
  over?: Date | undefined;
  by?: string | undefined;
}

interface Reached {
  registrant: { email: string };
  bounced?: Bounced | undefined;
}

/** Those of some e-mail addresses in lower case that do not work, or did not. */
export async function readBounces(
  transaction: Transaction,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Bounced>> {
  const rows = await rowsWith(transaction, 'addresses', 'digest', addresses.map(sha256Of));
  return new Map(
    addresses.flatMap((address): [string, Bounced][] => {
      const row = rows.find(({ digest }) => digest === sha256Of(address));
      if (!row) return [];
      const { bouncedAt: at, worksAt: over, worksBy: by } = row;
      return [[address, { at, to: addressDigest(address), ...(over && by && { over, by }) }]];
    }),
  );
}

export async function writeBounced(
  transaction: Transaction,
  address: string,
  bouncedAt: Date,
  works?: Done,
): Promise<void> {
  const { at: worksAt = null, by: worksBy = null } = works ?? {};
  const row = { digest: sha256Of(address), bouncedAt, worksAt, worksBy };
  await transaction
    .insertInto('addresses')
    .values(row)
    .onConflict((conflict) => conflict.column('digest').doUpdateSet(row))
    .execute();
}

/** Whether no letter reaches her current address: one came back, and nobody has recorded since that it works. */
export function isUnreachable({ registrant, bounced }: Reached): boolean {
  return isDead(registrant.email, bounced);
}

export function isUndeliverable(
  { address }: { address: string },
  bounces: readonly (Bounced | undefined)[],
): boolean {
  return bounces.some((bounced) => isDead(address, bounced));
}

function isDead(address: string, bounced: Bounced | undefined): boolean {
  return bounced !== undefined && !bounced.over && bounced.to === addressDigest(address);
}

/** Whether a letter sent to an address at a moment may not have arrived. */
export function isLost({ to, at }: { to: string; at: Date }, bounced: Bounced | undefined): boolean {
  return bounced?.to === to && (!bounced.over || at <= bounced.over);
}

export interface LetterEvent {
  address: string;
  at: Date;
}

/**
 * Records that letters to an address come back: for all registrations that have it now, paid or not, and for who waits
 * with it. An event that is recorded already, or about an address that nobody has any more, changes nothing.
 * @returns whom it concerns, and for whom of them it is new
 */
export async function recordBounce(
  { database }: { database: Database },
  event: LetterEvent,
  now: Date,
): Promise<{ found: readonly string[]; marked: readonly string[] }> {
  const address = event.address.toLowerCase();
  const at = event.at < now ? event.at : now;
  // Also where the answer to the COMMIT was lost.
  let isNews = false;
  return database.write(async (transaction) => {
    const registered = await registrationsAt(transaction, address);
    const waiting = await rowsWith(transaction, 'waitingEntries', 'address', [address]);
    const found = [...registered, ...waiting.map(({ id }) => id)];
    if (found.length === 0) return { found, marked: [] };
    const before = (await readBounces(transaction, [address])).get(address);
    if (!before || (before.over && at > before.over)) {
      isNews = true;
      await writeBounced(transaction, address, at);
    }
    await noteChange(transaction, ...found);
    return { found, marked: isNews ? found : [] };
  });
}

export async function clearBounce(
  { database }: { database: Database },
  { registrant }: Pick<Reached, 'registrant'>,
  by: string,
  now: Date,
): Promise<void> {
  const address = registrant.email.toLowerCase();
  await database.write(async (transaction) => {
    const before = (await readBounces(transaction, [address])).get(address);
    if (before && !before.over) await writeBounced(transaction, address, before.at, { at: now, by });
    await noteChange(transaction, ...(await registrationsAt(transaction, address)));
  });
}

async function registrationsAt(transaction: Transaction, address: string): Promise<string[]> {
  const rows = await rowsWith(transaction, 'registrations', 'address', [address]);
  return rows.map(({ id }) => id);
}
