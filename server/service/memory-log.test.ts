import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type AppProcess, ahead, prepareAppProcesses, signal } from '#server/testing/test-app-process.ts';

/** Has the app end without closing anything, which may take longer than lines wait. */
const ENDS_AT_ONCE = ahead('process.on("SIGUSR2", () => process.exit())');

describe('the log of what comes from memory', () => {
  test('every page has its line, soon or when the app ends', async (t) => {
    const apps = await prepareAppProcesses(t);
    const app = await apps.start({ nodeArgs: ENDS_AT_ONCE });
    const first = await visit(app, 3);
    while (idsLogged(app).length < first.length) await delay(20);
    assert.deepEqual(new Set(idsLogged(app)), new Set(first));

    const last = await visit(app, 50);
    signal(app, 'SIGUSR2');
    assert.equal(await app.child.ended, 'ended with exit code 0');
    assert.equal(idsLogged(app).length, 53);
    assert.deepEqual(new Set(idsLogged(app)), new Set([...first, ...last]));
  });
});

/** Looks at the page, and gives back the ids of the answers. */
async function visit({ siteUrl }: AppProcess, times: number): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  for (let time = 0; time < times; time += 1) {
    ids.push((await fetch(siteUrl)).headers.get('X-Request-Id'));
  }
  return ids;
}

function idsLogged({ lines }: AppProcess): string[] {
  return lines.flatMap((line) => /"id":"([^"]+)","method":"GET","path":"\/"/.exec(line)?.[1] ?? []);
}
