import { v7 as uuidV7 } from 'uuid';
import {
  beginHold,
  endHold,
  type Hold,
  readHold,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import { THE_WORKER } from './act-kinds.ts';
import type { Register } from './acts.ts';
import { nameOf } from './registrations.ts';
import { addAct } from './write-acts.ts';

export interface HeldRegister extends Hold {
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
    await endHold(transaction);
    await addAct(transaction, { id, subject: await registerName(transaction), kind: 'released', at, by });
  });
}

async function registerName(transaction: Transaction): Promise<string> {
  return (await transaction.selectFrom('register').select('name').executeTakeFirstOrThrow()).name;
}
