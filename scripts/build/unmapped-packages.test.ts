import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';

const mapSchema = v.object({ sources: v.array(v.string()) });

test('the programs’ source maps cover our own files, and no package’s', async () => {
  const sources = (await Promise.all((await mapsIn('dist')).map(sourcesOf))).flat();
  assert.ok(sources.some((source) => source.endsWith('/server/create-app.ts')));
  assert.deepEqual(
    sources.filter((source) => /\/node_modules\/.*(?<!\/package)$/.test(source)),
    [],
  );
});

async function mapsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.js.map')).map((file) => join(folder, file));
}

async function sourcesOf(map: string): Promise<string[]> {
  return v.parse(mapSchema, JSON.parse(await readFile(map, 'utf8'))).sources;
}
