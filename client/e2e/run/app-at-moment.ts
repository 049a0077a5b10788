import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { cleanUp } from '#server/testing/clean-up.ts';

/** Starts the app of a build with a clock that can be set. Gives back what asks for the page at a moment. */
export async function startAppAt(
  t: TestContext,
  build: string,
): Promise<(moment: string) => Promise<string>> {
  const [sitePort, opsPort] = [await findFreePort(), await findFreePort()];
  const clockFile = join(build, 'clock');
  const clock = `import { readFileSync } from 'node:fs';
const RealDate = Date;
const now = () => RealDate.parse(readFileSync(${JSON.stringify(clockFile)}, 'utf8'));
globalThis.Date = class extends RealDate {
  constructor(...given) { super(...(given.length > 0 ? given : [now()])); }
  static now() { return now(); }
};`;
  // In one step: an app that reads half a moment has no time at all, and ends at the first line that it logs.
  const setClock = async (moment: string) => {
    await writeFile(`${clockFile}.next`, moment);
    await rename(`${clockFile}.next`, clockFile);
  };
  await setClock('2031-01-01T00:00:00Z');
  const ports = { PORT: String(sitePort), OPS_PORT: String(opsPort) };
  const app = await startServer('app', {
    build,
    env: { ...leastEnvironment, REGISTRATION: 'auto', HOST: '127.0.0.1', ...ports },
    nodeArgs: [`--import=data:text/javascript,${encodeURIComponent(clock)}`],
    onLine: () => {},
  });
  cleanUp(t, () => app.stop());
  return async (moment) => {
    await setClock(moment);
    // A connection that is kept would be months old.
    const page = await fetch(`http://127.0.0.1:${sitePort}`, { headers: { Connection: 'close' } });
    return page.text();
  };
}
