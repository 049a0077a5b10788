import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import * as v from 'valibot';
import { parse, parseAllDocuments } from 'yaml';
import {
  sampleLinkSecret,
  sampleMailEvents,
  sampleUserLines,
  sandboxKeys,
} from '#scripts/product/environment.ts';
import { readAppConfig, readWorkerConfig } from '#server/config/config.ts';
import { schemas, secretVariables } from '#server/config/variables.ts';
import { testFolder } from '#server/testing/clean-up.ts';

const FOLDER = 'server/ops/kubernetes';
const run = promisify(execFile);
const read = (name: string) => readFile(join(FOLDER, name), 'utf8');

const manifestSchema = v.looseObject({
  apiVersion: v.string(),
  kind: v.string(),
  metadata: v.looseObject({ name: v.string() }),
});
type Manifest = v.InferOutput<typeof manifestSchema>;

/** Parses as YAML 1.1, which Kubernetes reads: 0440 is octal there. */
const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => v.parse(manifestSchema, document.toJS()));

const names = (await readdir(FOLDER)).filter(
  (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
);
const manifests = (await Promise.all(names.map(read))).flatMap(manifestsIn);

const pathSchema = v.object({
  path: v.string(),
  backend: v.object({ service: v.object({ name: v.string(), port: v.object({ name: v.string() }) }) }),
});
const ingressSchema = v.object({
  rules: v.tuple([v.object({ host: v.string(), http: v.object({ paths: v.array(pathSchema) }) })]),
});
const containerSchema = v.object({
  image: v.string(),
  envFrom: v.array(v.object({ configMapRef: v.object({ name: v.string() }) })),
  lifecycle: v.optional(v.object({ preStop: v.object({ sleep: v.object({ seconds: v.number() }) }) })),
  resources: v.object({ limits: v.object({ memory: v.string() }) }),
  volumeMounts: v.array(v.object({ name: v.string(), mountPath: v.string() })),
});
const podSchema = v.object({
  terminationGracePeriodSeconds: v.number(),
  containers: v.tuple([containerSchema]),
  volumes: v.array(
    v.object({
      name: v.string(),
      secret: v.optional(v.object({ items: v.array(v.object({ key: v.string(), path: v.string() })) })),
    }),
  ),
});
const deploymentSchema = v.object({ template: v.object({ spec: podSchema }) });

const specsOf = <Schema extends v.GenericSchema>(kind: string, schema: Schema) =>
  manifests.filter((one) => one.kind === kind).map(({ spec }) => v.parse(schema, spec));
const [app, worker] = specsOf('Deployment', deploymentSchema).map(({ template: { spec } }) => {
  const [container] = spec.containers;
  return { ...spec, container };
});
assert.ok(app && worker);
const processes = { app, worker };

function typed({ apiVersion, kind, ...rest }: Manifest, place: number): string {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const type = `import('kubernetes-types/${group.split('.')[0]}/${version}').${kind}`;
  return `export const manifest${place}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
}

describe('the manifests of Kubernetes', () => {
  test('match its schemas: it would silently drop a field whose name is misspelt', async () => {
    await mkdir('.data', { recursive: true });
    // Within the project, so that the types are found.
    const folder = await mkdtemp(join('.data', 'kubernetes-'));
    const compilerOptions = { strict: true, noEmit: true, module: 'preserve', types: [], skipLibCheck: true };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await writeFile(join(folder, 'manifests.ts'), manifests.map(typed).join('\n'));
    const check = run('node_modules/.bin/tsc', ['--project', folder, '--pretty', 'false']);
    const problems = await check.catch((error: { stdout: string }) => error);
    await rm(folder, { recursive: true });
    assert.equal(problems.stdout, '');
  });

  test('are all applied, with the image of this version', async () => {
    const image = v.object({ name: v.string(), newTag: v.string() });
    const schema = v.object({ resources: v.array(v.string()), images: v.tuple([image]) });
    const { resources, images } = v.parse(schema, parse(await read('kustomization.yaml')));
    assert.deepEqual(resources.toSorted(), names.toSorted());
    const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
    assert.deepEqual(images, [{ name, newTag: version }]);
    for (const { container } of [app, worker]) assert.equal(container.image, name);
  });

  test('the ops listener is published as the office’s pages only', () => {
    const published = specsOf('Ingress', ingressSchema).flatMap(({ rules: [{ host, http }] }) =>
      http.paths.map(({ path, backend: { service } }) => [host, path, service.port.name].join(' ')),
    );
    assert.deepEqual(published, [
      'retreat.example / site',
      'office.retreat.example /office ops',
      'office.retreat.example /static ops',
    ]);
  });

  test('have as much memory as in compose, and at least twice Node’s heap', async () => {
    const compose = v.object({ 'x-process': v.object({ mem_limit: v.string() }) });
    const file = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true });
    const { mem_limit } = v.parse(compose, file)['x-process'];
    const [, heap] = /--max-old-space-size=(\d+)/.exec(await readFile('Dockerfile', 'utf8')) ?? [];
    for (const { container } of [app, worker]) {
      const { memory } = container.resources.limits;
      assert.equal(memory, mem_limit.replace(/m$/, 'Mi'));
      assert.ok(Number.parseInt(memory, 10) >= 2 * Number(heap));
    }
  });

  test('stop within their grace period, and only once no proxy sends them requests', async () => {
    const service = await readFile('server/ops/run-service.ts', 'utf8');
    const [, bound = ''] = /SHUTDOWN_TIMEOUT_MS = ([\d_]+)/.exec(service) ?? [];
    const stopS = Number(bound.replaceAll('_', '')) / 1000;
    const sleepS = app.container.lifecycle?.preStop.sleep.seconds ?? 0;
    assert.ok(stopS > 0 && sleepS > 0);
    for (const one of [app, worker]) assert.ok(one.terminationGracePeriodSeconds >= sleepS + stopS + 5);
  });
});

type Settings = Record<string, string | undefined>;
const settingsIn = async (file: string): Promise<Settings> => parseEnv(await read(file));
const both = await settingsIn('settings.env');
const settings = {
  app: { ...both, ...(await settingsIn('app-settings.env')) },
  worker: { ...both, ...(await settingsIn('worker-settings.env')) },
};
const variableOf = (name: string) => name.replace(/_FILE$/, '');

describe('the settings on Kubernetes', () => {
  for (const name of ['app', 'worker'] as const)
    test(`${name} gets the settings and secrets that it reads, and no other; each secret is a file of the mounted volume`, () => {
      const { container, volumes } = processes[name];
      const reads = Object.keys(schemas[name].entries);
      assert.deepEqual(
        container.envFrom.map(({ configMapRef }) => configMapRef.name),
        ['settings', `${name}-settings`],
      );
      const secrets = secretVariables.filter((one) => reads.includes(one));
      assert.deepEqual(
        volumes.find((one) => one.name === 'secrets')?.secret?.items,
        secrets.map((one) => ({ key: one, path: one })),
      );
      const folder = container.volumeMounts.find((one) => one.name === 'secrets')?.mountPath;
      for (const [told, value] of Object.entries(settings[name])) {
        const variable = variableOf(told);
        assert.ok(reads.includes(variable), told);
        const isSecret = secrets.some((one) => one === variable);
        assert.equal(told, isSecret ? `${variable}_FILE` : variable);
        if (isSecret) assert.equal(value, `${folder}/${variable}`);
      }
    });

  test('app and worker start in production with them, and a missing file is named', async (t) => {
    const folder = await testFolder(t, 'kubernetes');
    const values: Record<string, string> = {
      ...sandboxKeys,
      ...sampleLinkSecret,
      ...sampleMailEvents,
      OPS_USERS: sampleUserLines(2),
      SMTP_URL: 'smtps://mail.example',
      REDIS_URL: 'rediss://:a-password@redis.example:6379',
      OPS_PASSWORD: 'another-password',
      DATABASE_URL: 'postgresql://retreat:secret@db.example/register?sslmode=verify-full',
    };
    const sandbox = { PAYMENTS: 'sandbox', STRIPE_API_BASE: 'http://sandbox.example' };
    const environmentOf = async (name: 'app' | 'worker'): Promise<Settings> => {
      const told: Settings = { ...settings[name] };
      for (const [file, path = ''] of Object.entries(told).filter(([one]) => one.endsWith('_FILE'))) {
        told[file] = join(folder, basename(path));
        await writeFile(told[file], values[basename(path)] ?? '');
      }
      return { ...told, ...sandbox, NODE_ENV: 'production', OPS_HOST: '0.0.0.0' };
    };
    const { STRIPE_PUBLISHABLE_KEY } = sandboxKeys;
    const config = readAppConfig({ ...(await environmentOf('app')), STRIPE_PUBLISHABLE_KEY });
    assert.deepEqual([config.linkSecrets[0], config.users.length], [sampleLinkSecret.LINK_SECRET, 2]);
    const ofWorker = await environmentOf('worker');
    assert.deepEqual(readWorkerConfig(ofWorker).mail.transport, { kind: 'smtp', url: values.SMTP_URL });
    await rm(join(folder, 'SMTP_URL'));
    assert.throws(() => readWorkerConfig(ofWorker), /SMTP_URL_FILE names a file that cannot be read/);
  });
});
