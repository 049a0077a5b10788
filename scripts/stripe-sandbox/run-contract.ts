import { isDeepStrictEqual } from 'node:util';
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

/** Why an account is not held to it, and whether that is a mistake. */
export function obstacleOf(key: string | undefined): [why: string, isMistake: boolean] | undefined {
  if (!key)
    return [
      'Skipped: nothing is compared without STRIPE_TEST_SECRET_KEY, a key of Stripe’s test mode.',
      false,
    ];
  if (/^[rs]k_test_/.test(key)) return undefined;
  return [
    'STRIPE_TEST_SECRET_KEY must begin with sk_test_ or rk_test_: a live key would charge real cards.',
    true,
  ];
}
