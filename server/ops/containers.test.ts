import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { parse } from 'yaml';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { readAppConfig, readWorkerConfig } from '#server/config/config.ts';
import { environmentSchema, schemas, secretVariables } from '#server/config/variables.ts';

const compose = await readFile('docker-compose.yml', 'utf8');
/** A null value is that of `.env`; with `env_file` a container would get the whole file. */
const service = v.object({
  environment: v.record(v.string(), v.nullable(v.union([v.string(), v.number()]))),
  env_file: v.optional(v.never()),
});
const { services } = v.parse(
  v.object({ services: v.object({ app: service, worker: service }) }),
  parse(compose, { merge: true }),
);

describe('the containers', () => {
  for (const [name, read] of [
    ['app', readAppConfig],
    ['worker', readWorkerConfig],
  ] as const) {
    const { environment } = services[name];

    test(`${name} gets the variables that it reads, and no other`, () => {
      const reads = Object.keys(schemas[name].entries);
      const inFiles = secretVariables.filter((one) => reads.includes(one));
      assert.deepEqual(
        Object.keys(environment).toSorted(),
        [...reads, ...inFiles.map((one) => `${one}_FILE`)].toSorted(),
      );
    });

    test(`the ops listener of ${name} requires a password`, () => {
      const { OPS_HOST, OPS_PORT } = environment;
      const env = { ...leastEnvironment, OPS_HOST: String(OPS_HOST), OPS_PORT: String(OPS_PORT) };
      for (const NODE_ENV of ['production', 'development'])
        assert.throws(() => read({ ...env, NODE_ENV }), /OPS_PASSWORD is missing/);
    });
  }

  test('.env.example names every variable, of the processes and of docker-compose.yml, and no other', async () => {
    const example = await readFile('.env.example', 'utf8');
    const named = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    const substituted = [...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const all = new Set([...Object.keys(environmentSchema.entries), ...substituted]);
    assert.deepEqual(named.toSorted(), [...all].toSorted());
  });
});
