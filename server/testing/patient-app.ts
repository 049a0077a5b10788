import { ahead } from './test-app-process.ts';

/**
 * Node's arguments for an app that waits twenty times as long for Redis, so that it does not do without one that is only
 * slow because the machine is busy.
 */
export const PATIENT = ahead(`
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, 20 * ms);
`);
