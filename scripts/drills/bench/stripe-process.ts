import { setTimeout as pause } from 'node:timers/promises';
import { startSandbox } from '#scripts/stripe-sandbox/start-sandbox.ts';
import { STRIPE_KEYS } from './stripe-keys.ts';
import { followStripeTime } from './stripe-time.ts';

/** How long it takes to answer, as Stripe takes its time. */
const LATENCY_MS = 100;

// A process of its own: a payment sandbox that tells its parent where it listens, tells it the times when it is asked,
// and ends with it.
const takeTimes = followStripeTime();
const { url } = await startSandbox({ port: 0, ...STRIPE_KEYS, intercept: () => pause(LATENCY_MS) });
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.({ times: takeTimes() }));
process.send?.({ url });
