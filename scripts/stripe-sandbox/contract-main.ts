import { runAtStripe } from './run-contract.ts';

process.exitCode = await runAtStripe(process.env.STRIPE_TEST_SECRET_KEY, console.log);
