import { runWithKey } from './run-contract.ts';

process.exitCode = await runWithKey(process.env.STRIPE_TEST_SECRET_KEY, console.log);
