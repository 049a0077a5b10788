import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { version } from '#server/config/version.ts';
import { Metrics } from './metrics.ts';

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('the version', () => {
  test('is the latest released one in the changelog, and the one of the lock file and the image', async () => {
    const [, told] = /^## (\d+\.\d+\.\d+)$/m.exec(await read('CHANGELOG.md')) ?? [];
    assert.equal(version, told);
    assert.equal(JSON.parse(await read('package-lock.json')).version, version);
    const [, label] = /org\.opencontainers\.image\.version=(\S+)$/m.exec(await read('Dockerfile')) ?? [];
    assert.equal(label, version);
  });

  test('is a metric of app and worker', async () => {
    for (const service of ['app', 'worker'] as const)
      assert.ok(
        (await new Metrics(service).metrics()).includes(
          `build_info{version="${version}",service="${service}"} 1`,
        ),
      );
  });
});
