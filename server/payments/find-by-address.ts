import { customersAt } from './earlier-registrations.ts';
import type { Records } from './find-registration.ts';
import { isPaidInFull } from './recognise-deposit.ts';
import { RECORD_EXPANSION, type RegistrationRecord, readRecord } from './registration-record.ts';

/**
 * The paid registrations of all editions with an e-mail address, ignoring case. All customers from `customersAt`
 * are checked, since anybody can begin registrations with an address that is not theirs.
 */
export async function findByAddress(
  { stripe, letterLog }: Records,
  email: string,
): Promise<RegistrationRecord[]> {
  const customers = await customersAt(stripe, email);
  const expand = RECORD_EXPANSION.map((path) => `data.${path}`);
  const found: RegistrationRecord[] = [];
  for (const { id: customer } of customers) {
    const { data } = await stripe.paymentIntents.list({ customer, limit: 100, expand });
    const deposit = data.find(isPaidInFull);
    const record = deposit && readRecord(deposit, data, await letterLog.endedOf(deposit.id));
    if (record?.registrant.email.toLowerCase() === email.toLowerCase()) found.push(record);
  }
  return found;
}
