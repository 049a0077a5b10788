import * as v from 'valibot';
import {
  type Database,
  type LetterRow,
  noteChange,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import { type Done, moment } from './act-kinds.ts';
import { addressDigest, sha256Of } from './links.ts';

/** An address that does not work: a letter to it came back, or its reader marked one as spam. */
export interface Bounced {
  /** When that was, by the provider's clock, and not after it was reported. */
  at: Date;
  to: string;
  /** Since when it works again, and who said so. Letters sent there until then may be lost. */
  over?: Date | undefined;
  by?: string | undefined;
}

interface Reached {
  registrant: { email: string };
  bounced?: Bounced | undefined;
}

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

async function writeBounced(
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

export function isLost({ to, at }: { to: string; at: Date }, bounced: Bounced | undefined): boolean {
  return bounced?.to === to && (!bounced.over || at <= bounced.over);
}

export interface LetterEvent {
  address: string;
  at: Date;
}

/** Records it for all who have the address, once. @returns whom it concerns, and for whom it is new */
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

export const noticeSchema = v.object({
  dueAt: moment,
  cents: v.pipe(v.number(), v.integer(), v.minValue(0)),
  to: v.string(),
  number: v.number(),
});
export type Notice = v.InferOutput<typeof noticeSchema>;

const noticeColumn = v.nullable(v.pipe(v.string(), v.parseJson(), noticeSchema));

export interface EndedLetter {
  id?: string;
  kind: string;
  version: string;
  state: 'sent' | 'dismissed';
  at: Date;
  notice?: Notice | undefined;
}

export async function readEndedLetters(
  transaction: Transaction,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, readonly EndedLetter[]>> {
  const rows = await transaction
    .selectFrom('letters')
    .select(['id', 'subject', 'kind', 'version', 'state', 'endedAt', 'again', 'notice'])
    .where('subject', 'in', subjects)
    .where('state', 'in', ['sent', 'dismissed'])
    .orderBy('endedAt')
    .orderBy('id')
    .execute();
  const ended = new Map<string, EndedLetter[]>();
  for (const row of rows) ended.set(row.subject, [...(ended.get(row.subject) ?? []), ...endedIn(row)]);
  return ended;
}

type Ended = Omit<LetterRow, 'owedAt' | 'address' | 'askedBy' | 'triedAt' | 'said'>;

function endedIn({ id, kind, version, state, endedAt: at, again, notice }: Ended): EndedLetter[] {
  if (at === null || (state !== 'sent' && state !== 'dismissed')) return [];
  // Of a copy that was dismissed the letter itself was sent before.
  if (again === 1 && state === 'dismissed') return [];
  return [{ id, kind, version, state, at, notice: v.parse(noticeColumn, notice) ?? undefined }];
}

export async function readSaid(
  { database }: { database: Database },
  subject: string,
  id: string,
): Promise<string | undefined> {
  const row = await database.read((transaction) =>
    transaction
      .selectFrom('letters')
      .select('said')
      .where('id', '=', id)
      .where('subject', '=', subject)
      .executeTakeFirst(),
  );
  return row?.said ?? undefined;
}
