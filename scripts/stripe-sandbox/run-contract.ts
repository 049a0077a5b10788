import { isDeepStrictEqual } from 'node:util';
import Stripe from 'stripe';
import { CONTRACT, type Host } from './contract.ts';

/** Holds an account to the contract, and tells a line for each row. @returns whether all rows hold */
export async function runContract(host: Host, tell: (line: string) => void): Promise<boolean> {
  let holds = true;
  for (const [id, { says, look, expected }] of Object.entries(CONTRACT)) {
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
export async function runWithKey(
  key: string | undefined,
  tell: (line: string) => void,
  connect = (test: string): Host => ({
    stripe: new Stripe(test, { maxNetworkRetries: 2, telemetry: false }),
    failRefund: () => {},
  }),
): Promise<number> {
  if (!key) {
    tell(
      'Skipped: without STRIPE_TEST_SECRET_KEY, a secret key of Stripe’s test mode, nothing was compared.',
    );
    return 0;
  }
  if (!/^[rs]k_test_/.test(key)) {
    tell('STRIPE_TEST_SECRET_KEY must begin with sk_test_ or rk_test_: a live key would charge real cards.');
    return 1;
  }
  return (await runContract(connect(key), tell)) ? 0 : 1;
}
