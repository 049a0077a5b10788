import Stripe from 'stripe';
import { obstacleOf, runContract } from './run-contract.ts';

const key = process.env.STRIPE_TEST_SECRET_KEY ?? '';
const [why, isMistake] = obstacleOf(key) ?? [];
if (why !== undefined) console.log(why);
else {
  const stripe = new Stripe(key, { maxNetworkRetries: 2, telemetry: false });
  const holds = await runContract({ stripe, failRefund: () => {} }, console.log);
  process.exitCode = holds ? 0 : 1;
}
if (isMistake) process.exitCode = 1;
