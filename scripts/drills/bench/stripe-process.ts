import { setTimeout as pause } from 'node:timers/promises';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';

/** How long the sandbox takes to answer, like the real Stripe. */
const LATENCY_MS = 100;

// A side process: a payment sandbox.
const { url } = await startSandbox({ intercept: () => pause(LATENCY_MS) });
process.on('disconnect', () => process.exit());
process.send?.({ url });
