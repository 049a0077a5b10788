import type { Transaction } from '#server/database/engine.ts';
import { HERSELF, readActs } from './acts.ts';
import { isOfText } from './agreed-terms.ts';
import { type Agreement, lastOfKind } from './on-record.ts';
import { addAct } from './write-acts.ts';

/**
 * Records that somebody agreed to terms, unless she agreed to the same before.
 * @param id of the act, made before the transaction, which may run again
 */
export async function writeAgreement(
  transaction: Transaction,
  subject: string,
  { version, digest, agreedAt: at, spoken }: Agreement,
  id: string,
): Promise<void> {
  const before = lastOfKind(await readActs(transaction, subject), 'consent');
  if (before && isOfText(before, { version, digest })) return;
  const { by = HERSELF, ...said } = spoken ?? {};
  await addAct(transaction, { id, subject, at, by, kind: 'consent', facts: { version, digest, ...said } });
}
