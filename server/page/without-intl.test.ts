import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ahead, prepareAppProcesses } from '#server/testing/test-app-process.ts';
import { register } from '#server/testing/test-visitor.ts';

/** Has whoever asks for a locale's words say so and fail. */
const REFUSE = ahead(`
  function refuse(object, name) {
    const refused = function () {
      console.error("Asked for " + name);
      throw new Error(name);
    };
    Object.defineProperty(object, name, { value: refused });
  }
  const isName = (name) => /^[A-Z]|supportedValuesOf/.test(name);
  for (const name of Object.getOwnPropertyNames(Intl).filter(isName)) refuse(Intl, name);
  const prototypes = [Array, BigInt, Date, Number, String].map(({ prototype }) => prototype);
  for (const prototype of prototypes)
    for (const name of Object.getOwnPropertyNames(prototype))
      if (/^toLocale.*String$|^localeCompare$/.test(name)) refuse(prototype, name);
`);

test('the app renders and registers without Intl, whose tables would take 6 MB of it', async (t) => {
  const { start } = await prepareAppProcesses(t);
  const { siteUrl, lines } = await start({ nodeArgs: REFUSE });
  const page = await fetch(siteUrl);
  assert.match(await page.text(), /January.22–25,.2026/);
  assert.equal((await fetch(`${siteUrl}/nowhere`)).status, 404);
  const { status, statusText } = await register(siteUrl);
  assert.equal(`${status} ${statusText}`, '200 OK');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('Asked for')),
    [],
  );
});
