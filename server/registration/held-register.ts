import { v7 as uuidV7 } from 'uuid';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import { AppError } from '#server/web/app-error.ts';
import { THE_WORKER } from './act-kinds.ts';
import type { Register } from './acts.ts';
import { nameOf } from './registrations.ts';
import { addAct } from './write-acts.ts';

/** While the register is held nothing goes out of it: no charge, no refund, no letter; and nobody's data are removed. */
interface RegisterHold {
  since: Date;
  why: string;
  /** When all that Stripe knows had been added; undefined until then. */
  readAt: Date | undefined;
}

export async function readHold(transaction: Transaction): Promise<RegisterHold | undefined> {
  const row = await transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow();
  const readAt = row.comparedAt ?? undefined;
  if (row.heldAt !== null) return { since: row.heldAt, why: row.heldWhy ?? '', readAt };
  if (row.copyOf === null) return undefined;
  return { since: row.copiedAt ?? new Date(0), why: 'It is a copy of the register.', readAt };
}

export async function isHeld(transaction: Transaction): Promise<boolean> {
  return (await readHold(transaction)) !== undefined;
}

/** Holds everything outward, and has catch-up read all of Stripe. @returns whether it was not held before */
export async function beginHold(transaction: Transaction, why: string): Promise<boolean> {
  if (await isHeld(transaction)) return false;
  await transaction
    .updateTable('register')
    .set({ heldAt: new Date(), heldWhy: why, comparedAt: null })
    .execute();
  return true;
}

/** A held register may not know what was decided. @throws {AppError} 503 while it is held */
export async function requireNotHeld(transaction: Transaction): Promise<void> {
  if (!(await isHeld(transaction))) return;
  const message =
    'This is not possible at the moment. Nothing is lost, and nothing was charged. Please try again later.';
  throw new AppError({ code: 'register_held', status: 503, message, retryAfterS: 600 });
}

export interface HeldRegister extends RegisterHold {
  added: readonly { id: string; name: string }[];
}

export async function readHeldIn(transaction: Transaction): Promise<HeldRegister | undefined> {
  const hold = await readHold(transaction);
  if (!hold) return undefined;
  // The least id of that moment. Ids are made by the machine's clock, the moments of acts by the site's.
  const since = uuidV7({ msecs: hold.since.getTime(), seq: 0, random: new Uint8Array(16) });
  const acts = await transaction
    .selectFrom('acts')
    .select('subject')
    .where('kind', '=', 'recovered')
    .where('byWhom', '=', THE_WORKER)
    .where('id', '>=', since)
    .execute();
  const ids = acts.map(({ subject }) => subject);
  const rows = await rowsWith(transaction, 'registrations', 'id', ids, 'begunAt');
  return { ...hold, added: rows.map((row) => ({ id: row.id, name: nameOf(row) })) };
}

export const readHeld = ({ database }: Register) => database.read(readHeldIn);

export async function holdRegister({ database }: Register, why: string, by: string, at: Date): Promise<void> {
  const id = uuidV7();
  await database.write(async (transaction) => {
    if (await beginHold(transaction, why))
      await addAct(transaction, { id, subject: await registerName(transaction), kind: 'hold', at, by });
  });
}

export async function releaseRegister({ database }: Register, by: string, at: Date): Promise<void> {
  const id = uuidV7();
  await database.write(async (transaction) => {
    await transaction.updateTable('register').set({ heldAt: null, heldWhy: null, copyOf: null }).execute();
    await addAct(transaction, { id, subject: await registerName(transaction), kind: 'released', at, by });
  });
}

async function registerName(transaction: Transaction): Promise<string> {
  return (await transaction.selectFrom('register').select('name').executeTakeFirstOrThrow()).name;
}
