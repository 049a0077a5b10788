import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { parse } from 'yaml';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { readAppConfig, readWorkerConfig } from '#server/config/config.ts';
import { environmentSchema, schemas, secretVariables } from '#server/config/variables.ts';

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
const compose = await read('docker-compose.yml');
const dockerfile = await read('Dockerfile');
const example = await read('.env.example');
/** A null value is that of `.env`; with `env_file` a container would get the whole file. */
const service = v.object({
  environment: v.record(v.string(), v.nullable(v.union([v.string(), v.number()]))),
  env_file: v.optional(v.never()),
  volumes: v.array(v.string()),
});
const { services } = v.parse(
  v.object({ services: v.object({ app: service, worker: service }) }),
  parse(compose, { merge: true }),
);
const known = Object.keys(environmentSchema.entries);

/** The lines below a key of docker-compose.yml, without comments, dashes and indentation. */
function linesBelow(key: string): string[] {
  const lines = compose.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const at = lines.findIndex((line) => line.trim() === key || line.trim().startsWith(`${key} &`));
  assert.notEqual(at, -1, `docker-compose.yml has no ${key}`);
  const indent = (line = ''): number => line.search(/\S/);
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => indent(line) <= indent(lines[at]));
  return below.slice(0, end === -1 ? undefined : end).map((line) => line.replace(/^\s*(- )?/, ''));
}

/** The limits for an attacker inside a container, and for a runaway process. */
const CONFINED = [
  'read_only: true',
  'cap_drop: [ALL]',
  'security_opt: ["no-new-privileges:true"]',
  'init: true',
  /^mem_limit: /,
  /^cpus: /,
  /^pids_limit: /,
  /^stop_grace_period: /,
  'restart: unless-stopped',
];

function assertHolds(lines: readonly string[], wanted: readonly (string | RegExp)[]): void {
  for (const want of wanted) {
    const held = lines.some((line) => (typeof want === 'string' ? line === want : want.test(line)));
    assert.ok(held, `${want} is missing`);
  }
}

describe('the containers', () => {
  test('app and worker are confined, run as node and do not depend on the health of Redis', () => {
    assertHolds(linesBelow('x-process:'), [...CONFINED, 'depends_on: [redis]']);
    for (const service of ['app:', 'worker:']) assertHolds(linesBelow(service), ['<<: *process']);
    assert.match(dockerfile, /^USER node$/m);
    assert.match(dockerfile, /^HEALTHCHECK .* CMD \["node", "dist\/check-health\.js"\]$/m);
  });

  test('both share the register, only the worker writes copies of it, and both folders are node’s', () => {
    const { app, worker } = services;
    assert.deepEqual(app.volumes, ['register:/data']);
    assert.deepEqual(worker.volumes, ['register:/data', `register-copies:${worker.environment.BACKUP_DIR}`]);
    assert.equal(app.environment.DATABASE_URL, `\${DATABASE_URL-file:/data/register.sqlite}`);
    assert.match(
      dockerfile,
      /^RUN install --directory --owner=node --group=node \/data \/backup\nUSER node$/m,
    );
  });

  test('Redis is confined, runs as its own user, loses no mail and keeps its password off the command line', () => {
    const redis = linesBelow('redis:');
    assertHolds(redis, [...CONFINED, 'user: redis', 'redis-data:/data']);
    assertHolds(redis, ['appendonly yes', 'maxmemory-policy noeviction', 'requirepass $$REDISCLI_AUTH']);
    const holders = redis.filter((line) => line.includes('REDIS_PASSWORD'));
    assert.equal(holders.length, 1);
    assert.match(holders[0] ?? '', /^REDISCLI_AUTH: /);
  });

  test('every port is on loopback, unless BIND says otherwise; Redis has none', () => {
    const published = [...linesBelow('app:'), ...linesBelow('worker:')].filter((line) =>
      /:\d+"?$/.test(line),
    );
    assert.equal(published.length, 3);
    for (const port of published) assert.match(port, /^"(127\.0\.0\.1|\$\{BIND:-127\.0\.0\.1\}):\$\{/);
    assert.ok(!linesBelow('redis:').includes('ports:'));
  });

  test('each gets the variables that its process reads, and no other', () => {
    for (const name of ['app', 'worker'] as const) {
      const reads = Object.keys(schemas[name].entries);
      const inFiles = secretVariables.filter((one) => reads.includes(one));
      const told = services[name].environment;
      assert.deepEqual(
        Object.keys(told).toSorted(),
        [...reads, ...inFiles.map((one) => `${one}_FILE`)].toSorted(),
      );
    }
  });

  test('their ops listeners require a password', () => {
    for (const [name, read] of [
      ['app', readAppConfig],
      ['worker', readWorkerConfig],
    ] as const) {
      const { OPS_HOST, OPS_PORT } = services[name].environment;
      const env = { ...leastEnvironment, OPS_HOST: String(OPS_HOST), OPS_PORT: String(OPS_PORT) };
      for (const NODE_ENV of ['production', 'development'])
        assert.throws(() => read({ ...env, NODE_ENV }), /OPS_PASSWORD is missing/);
    }
  });

  test('no variable names a stage: buildah and podman would look for an image of that name', () => {
    const stages = [...dockerfile.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name);
    assert.ok(stages.length > 0);
    const values = [...dockerfile.matchAll(/^ARG \w+=(.*)$/gm), ...compose.matchAll(/\$\{\w+:-([^}]*)\}/g)];
    for (const [, value] of values) assert.ok(!stages.includes(value), value);
  });

  test('the default tag of each image is the same everywhere', () => {
    const [, byDockerfile] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
    assertHolds(linesBelow('args:'), [`NODE_IMAGE: \${NODE_IMAGE:-${byDockerfile}}`]);
    for (const [, name, image] of compose.matchAll(/\$\{([A-Z]+_IMAGE):-(.+)\}$/gm))
      assert.ok(example.includes(`\n# ${name}=${image}\n`), name);
  });

  test('the nightly tests run on the image’s Node', async () => {
    const [, major] = /^ARG NODE_IMAGE=node:(\d+)/m.exec(dockerfile) ?? [];
    assert.match(
      await read('.github/workflows/nightly.yml'),
      new RegExp(`^ +container: node:${major}-`, 'm'),
    );
  });

  test('.env.example names every variable, of the processes and of docker-compose.yml, and no other', () => {
    const names = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    const substituted = [...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    assert.deepEqual(names.toSorted(), [...new Set([...known, ...substituted])].toSorted());
  });
});
