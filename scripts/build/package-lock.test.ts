import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as v from 'valibot';

const lockSchema = v.object({
  packages: v.record(v.string(), v.object({ integrity: v.optional(v.string()) })),
});

test('package-lock.json has the digest of every package, also of optional ones for other systems', async () => {
  const { packages } = v.parse(lockSchema, JSON.parse(await readFile('package-lock.json', 'utf8')));
  const { '': _project, ...installed } = packages;
  const unverified = Object.entries(installed).filter(
    ([, { integrity }]) => !integrity?.startsWith('sha512-'),
  );
  assert.deepEqual(
    unverified.map(([path]) => path),
    [],
    'npm does not write a digest for a package of another system that was not in its cache: add what `npm view NAME@VERSION dist.integrity` prints',
  );
});
