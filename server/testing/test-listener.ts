import type { RequestListener } from 'node:http';
import { Registry } from 'prom-client';
import type { ConnectionBounds } from '#server/http/bounded-server.ts';
import { listen } from '#server/http/listen.ts';
import { addListenerMetrics } from '#server/ops/http-metrics.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { createTestLog } from './test-log.ts';

/** The beginning of a plain request. */
export const GET = 'GET / HTTP/1.1\r\nHost: here\r\n';

/** Reads the whole request before it answers. */
const answerOk: RequestListener = (req, res) => {
  req.resume().once('end', () => res.end('ok'));
};

/** Starts a listener for one test; it is closed after the test, if the test has not closed it. */
export async function startListener(
  t: TestScope,
  bounds: Partial<ConnectionBounds> = {},
  handler: RequestListener = answerOk,
) {
  const metrics = new Registry();
  const log = createTestLog();
  const watcher = addListenerMetrics(metrics, log.logger);
  const listener = await listen(handler, { host: '127.0.0.1', port: 0 }, { bounds, watcher });
  let closing: Promise<number> | undefined;
  const close = (): Promise<number> => {
    closing ??= listener.close();
    return closing;
  };
  cleanUp(t, close);
  return { url: listener.url, close, metrics, log };
}
