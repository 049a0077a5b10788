import { isDeepStrictEqual } from 'node:util';
import Stripe from 'stripe';
import { CONTRACT } from './contract.ts';
import type { Host } from './contract-calls.ts';

/** Holds an account to the contract, and tells a line for each row. @returns whether all rows hold */
export async function runContract(host: Host, tell: (line: string) => void): Promise<boolean> {
  let holds = true;
  for (const { id, says, look, expected } of CONTRACT) {
    const came = await look(host).catch((error: unknown) => `failed: ${error}`);
    const isMet = isDeepStrictEqual(came, expected);
    holds &&= isMet;
    tell(isMet ? `holds    ${id}: ${says}` : `differs  ${id}: ${says}; what came: ${JSON.stringify(came)}`);
  }
  return holds;
}

/**
 * Holds the account of a test key to the contract.
 * @returns the exit code: 1 where a row differs, or the key is not one of Stripe's test mode
 */
export async function runAtStripe(
  key: string | undefined,
  tell: (line: string) => void,
  connect = (testKey: string) => new Stripe(testKey, { maxNetworkRetries: 2, telemetry: false }),
): Promise<number> {
  if (!key) {
    tell(
      'Skipped: without STRIPE_TEST_SECRET_KEY, a secret key of Stripe’s test mode, nothing was compared.',
    );
    return 0;
  }
  if (!/^[rs]k_test_/.test(key)) {
    tell(
      'STRIPE_TEST_SECRET_KEY must begin with sk_test_ or rk_test_: with a live key this would charge cards.',
    );
    return 1;
  }
  const holds = await runContract({ stripe: connect(key), failRefund: () => {} }, tell);
  return holds ? 0 : 1;
}
