import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import * as v from 'valibot';
import { parse, parseAllDocuments } from 'yaml';
import {
  sampleLinkSecret,
  sampleMailEvents,
  sampleUserLines,
  sandboxKeys,
} from '#scripts/product/environment.ts';
import { ensureProgram, promtoolProgram } from '#scripts/product/system-package.ts';
import { readAppConfig, readWorkerConfig } from '#server/config/config.ts';
import { schemas, secretVariables } from '#server/config/variables.ts';

const FOLDER = 'server/ops/kubernetes';

const manifestSchema = v.looseObject({
  apiVersion: v.string(),
  kind: v.string(),
  metadata: v.looseObject({ name: v.string() }),
});

type Manifest = v.InferOutput<typeof manifestSchema>;

function readManifestFile(name: string): Promise<string> {
  return readFile(join(FOLDER, name), 'utf8');
}

/** Parses the manifests of a text as YAML 1.1, which Kubernetes reads: 0440 is octal there. */
function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    for (const error of document.errors) throw error;
    return v.parse(manifestSchema, document.toJS());
  });
}

/** All manifests in the folder, by the file that contains them. */
async function readManifests(): Promise<ReadonlyMap<string, readonly Manifest[]>> {
  const names = (await readdir(FOLDER)).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  );
  const files = names.map(async (name) => [name, parseManifests(await readManifestFile(name))] as const);
  return new Map(await Promise.all(files));
}

/**
 * Checks manifests against the types that `kubernetes-types` generated from the schemas of Kubernetes, for
 * fields that are missing, unknown or of another type. Kubernetes itself would only drop a field whose name
 * is misspelt.
 * @returns the compiler's messages; '' when there are none
 */
async function typeProblems(manifests: readonly Manifest[]): Promise<string> {
  await mkdir('.data', { recursive: true });
  // Within the project, so that the types are found.
  const folder = await mkdtemp(join('.data', 'kubernetes-'));
  try {
    const compilerOptions = { strict: true, noEmit: true, module: 'preserve', types: [], skipLibCheck: true };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await writeFile(join(folder, 'manifests.ts'), manifests.map(typed).join('\n'));
    await promisify(execFile)('node_modules/.bin/tsc', ['--project', folder, '--pretty', 'false']);
    return '';
  } catch (error) {
    return v.parse(v.object({ stdout: v.string() }), error).stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function typed(manifest: Manifest, place: number): string {
  const { apiVersion, kind } = manifest;
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const [folder] = group.split('.');
  const type = `import('kubernetes-types/${folder}/${version}').${kind}`;
  return `export const manifest${place}: ${type} = ${JSON.stringify(manifest, null, 1)};`;
}

const labels = v.record(v.string(), v.string());
const probe = v.object({ httpGet: v.object({ path: v.string(), port: v.string() }) });
const container = v.looseObject({
  name: v.string(),
  image: v.string(),
  command: v.optional(v.array(v.string())),
  env: v.array(v.strictObject({ name: v.string(), value: v.string() })),
  envFrom: v.array(v.object({ configMapRef: v.object({ name: v.string() }) })),
  ports: v.array(v.strictObject({ name: v.string(), containerPort: v.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: v.optional(v.object({ preStop: v.object({ sleep: v.object({ seconds: v.number() }) }) })),
  resources: v.object({ limits: v.object({ memory: v.string() }) }),
  volumeMounts: v.array(v.looseObject({ name: v.string(), mountPath: v.string() })),
});
const pod = v.looseObject({
  terminationGracePeriodSeconds: v.number(),
  containers: v.tuple([container]),
  volumes: v.array(
    v.looseObject({
      name: v.string(),
      secret: v.optional(
        v.strictObject({
          secretName: v.string(),
          defaultMode: v.number(),
          optional: v.literal(true),
          items: v.array(v.strictObject({ key: v.string(), path: v.string() })),
        }),
      ),
    }),
  ),
});
const deployment = v.object({
  selector: v.object({ matchLabels: labels }),
  strategy: v.unknown(),
  template: v.object({ metadata: v.object({ labels }), spec: pod }),
});

/** App and worker as the manifests run them, in this order. */
function processes(manifests: readonly Manifest[]) {
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  return deployments.map(({ metadata: { name }, spec }) => {
    const { selector, strategy, template } = v.parse(deployment, spec);
    const [container] = template.spec.containers;
    const { image, ports } = container;
    return {
      name,
      image,
      ports,
      strategy,
      container,
      pod: template.spec,
      selector: selector.matchLabels,
      labels: template.metadata.labels,
    };
  });
}

const read = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
const files = await readManifests();
const manifests = [...files.values()].flat();
const [dockerfile, runService, compose] = [
  await read('Dockerfile'),
  await read('server/service/run-service.ts'),
  v.parse(
    v.object({
      'x-process': v.object({ mem_limit: v.string() }),
      'x-environment': v.object({ OPS_HOST: v.string() }),
      services: v.object({ worker: v.object({ command: v.array(v.string()) }) }),
    }),
    parse(await read('docker-compose.yml'), { merge: true }),
  ),
];

const labelsSchema = v.record(v.string(), v.string());
const selectorSchema = v.object({ matchLabels: labelsSchema });

/** The specs of one kind, by name, as far as a schema names them. */
function specsOf<Schema extends v.GenericSchema>(
  kind: string,
  schema: Schema,
): Map<string, v.InferOutput<Schema>> {
  const some = manifests.filter((manifest) => manifest.kind === kind);
  return new Map(some.map(({ metadata, spec }) => [metadata.name, v.parse(schema, spec)]));
}

/** The names of the processes that a selector matches. */
function selected(selector: Record<string, string>): string[] {
  const fits = (labels: Record<string, string>) =>
    Object.entries(selector).every(([name, value]) => labels[name] === value);
  return processes(manifests)
    .filter(({ labels }) => fits(labels))
    .map(({ name }) => name);
}

describe('the manifests of Kubernetes', () => {
  test('match its schemas, and have no field that it would silently ignore', async () => {
    assert.equal(await typeProblems(manifests), '');
  });

  test('are all applied, with the image of this version', async () => {
    const { resources, images } = v.parse(
      v.object({
        resources: v.array(v.string()),
        images: v.tuple([v.object({ name: v.string(), newTag: v.string() })]),
      }),
      parse(await readManifestFile('kustomization.yaml')),
    );
    assert.deepEqual(resources.toSorted(), [...files.keys()].toSorted());
    const { name, version } = v.parse(
      v.object({ name: v.string(), version: v.string() }),
      JSON.parse(await read('package.json')),
    );
    assert.deepEqual(images, [{ name, newTag: version }]);
    for (const { image } of processes(manifests)) assert.equal(image, name);
  });

  test('each selector matches the pods that it is for, and each named port is one of theirs', () => {
    const portsOf = (name: string) =>
      processes(manifests)
        .find((one) => one.name === name)
        ?.ports.map((port) => port.name);
    for (const { name, selector } of processes(manifests)) assert.deepEqual(selected(selector), [name]);
    for (const [name, { selector }] of specsOf('PodDisruptionBudget', v.object({ selector: selectorSchema })))
      assert.deepEqual(selected(selector.matchLabels), [name]);

    const service = v.object({
      selector: labelsSchema,
      ports: v.array(v.object({ name: v.string(), targetPort: v.string() })),
    });
    const services = specsOf('Service', service);
    assert.deepEqual([...services.keys()], ['app']);
    for (const { selector, ports } of services.values()) {
      assert.deepEqual(selected(selector), ['app']);
      assert.deepEqual(
        ports.map(({ targetPort }) => targetPort),
        portsOf('app'),
      );
    }

    const policy = v.object({
      podSelector: selectorSchema,
      policyTypes: v.tuple([v.string()]),
      ingress: v.optional(v.array(v.object({ ports: v.array(v.object({ port: v.string() })) })), []),
    });
    const policies = specsOf('NetworkPolicy', policy);
    const into = [...policies.values()].filter(({ policyTypes: [type] }) => type === 'Ingress');
    assert.deepEqual(
      into.map(({ podSelector }) => selected(podSelector.matchLabels)),
      [['app'], ['worker']],
    );
    for (const { podSelector, ingress } of into) {
      const own = portsOf(selected(podSelector.matchLabels)[0] ?? '');
      for (const { port } of ingress.flatMap(({ ports }) => ports)) assert.ok(own?.includes(port), port);
    }
    const out = [...policies.values()].filter(({ policyTypes: [type] }) => type === 'Egress');
    assert.deepEqual(
      out.map(({ podSelector }) => selected(podSelector.matchLabels)),
      [['app', 'worker']],
    );
  });

  test('the ops listener is published as the office’s pages only', () => {
    const path = v.object({
      path: v.string(),
      pathType: v.string(),
      backend: v.object({ service: v.object({ name: v.string(), port: v.object({ name: v.string() }) }) }),
    });
    const ingress = v.object({
      rules: v.tuple([v.object({ host: v.string(), http: v.object({ paths: v.array(path) }) })]),
    });
    const published = [...specsOf('Ingress', ingress).values()].flatMap(({ rules: [{ host, http }] }) =>
      http.paths.map(({ path, pathType, backend: { service } }) =>
        [host, pathType, path, service.name, service.port.name].join(' '),
      ),
    );
    assert.deepEqual(published, [
      'retreat.example Prefix / app site',
      'office.retreat.example Prefix /office app ops',
      'office.retreat.example Prefix /static app ops',
    ]);
  });
});

describe('the processes on Kubernetes', () => {
  test('are confined like the containers of compose, as the image’s user', () => {
    assert.match(dockerfile, /^USER node$/m);
    for (const { pod, container } of processes(manifests)) {
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.enableServiceLinks, false);
      const user = { runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 };
      assert.deepEqual(pod.securityContext, {
        runAsNonRoot: true,
        ...user,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      const confined = {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      };
      assert.deepEqual(container.securityContext, confined);
    }
  });

  test('have as much memory as in compose, and at least twice Node’s heap', () => {
    const [, heap = ''] = /--max-old-space-size=(\d+)/.exec(dockerfile) ?? [];
    for (const { container } of processes(manifests)) {
      const { memory } = container.resources.limits;
      assert.equal(memory, compose['x-process'].mem_limit.replace(/m$/, 'Mi'));
      assert.ok(Number.parseInt(memory, 10) >= 2 * Number(heap));
    }
  });

  test('are started as in compose, and are probed where they listen', () => {
    const [app, worker] = processes(manifests);
    assert.equal(app?.container.command, undefined);
    assert.deepEqual(worker?.container.command, compose.services.worker.command);
    assert.match(dockerfile, /^CMD \["node", "dist\/start-app\.js"\]$/m);
    assert.match(dockerfile, /^EXPOSE 3000$/m);
    const ops = { name: 'ops', containerPort: 3001 };
    assert.deepEqual(app?.ports, [{ name: 'site', containerPort: 3000 }, ops]);
    assert.deepEqual(worker?.ports, [ops]);
    for (const { container } of processes(manifests)) {
      assert.deepEqual(container.env, [{ name: 'OPS_HOST', value: compose['x-environment'].OPS_HOST }]);
      const asked = ({ httpGet: { path, port } }: { httpGet: { path: string; port: string } }) =>
        `${path} ${port}`;
      const { startupProbe, livenessProbe, readinessProbe } = container;
      assert.deepEqual([startupProbe, livenessProbe, readinessProbe].map(asked), [
        '/healthz ops',
        '/healthz ops',
        '/readyz ops',
      ]);
    }
  });

  test('stop within their grace period, and only once no proxy sends them requests', () => {
    const [, bound = ''] = /SHUTDOWN_TIMEOUT_MS = ([\d_]+)/.exec(runService) ?? [];
    const stopS = Number(bound.replaceAll('_', '')) / 1000;
    const [app, worker] = processes(manifests);
    const sleepS = app?.container.lifecycle?.preStop.sleep.seconds ?? 0;
    assert.ok(stopS > 0 && sleepS > 0);
    for (const one of [app, worker])
      assert.ok((one?.pod.terminationGracePeriodSeconds ?? 0) >= sleepS + stopS + 5);
    for (const { strategy } of processes(manifests))
      assert.deepEqual(strategy, { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
  });
});

const run = promisify(execFile);
type Settings = Record<string, string | undefined>;
const readSettings = async (file: string): Promise<Settings> => parseEnv(await readManifestFile(file));
const settings = {
  both: await readSettings('settings.env'),
  app: await readSettings('app-settings.env'),
  worker: await readSettings('worker-settings.env'),
};
const together: Settings = { ...settings.both, ...settings.app, ...settings.worker };
const variableOf = (name: string) => name.replace(/_FILE$/, '');
const secretFiles = Object.entries(together).filter(([name]) => name.endsWith('_FILE'));
const all = processes([...(await readManifests()).values()].flat());

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

describe('the settings on Kubernetes', () => {
  test('each process gets the settings and secrets that it reads, and no other', () => {
    for (const name of Object.keys(settings.both)) {
      assert.ok(variableOf(name) in schemas.app.entries, name);
      assert.ok(variableOf(name) in schemas.worker.entries, name);
    }
    for (const { name, container, pod } of all) {
      assert.ok(name === 'app' || name === 'worker');
      assert.deepEqual(
        container.envFrom.map(({ configMapRef }) => configMapRef.name),
        ['settings', `${name}-settings`],
      );
      const reads = Object.keys(schemas[name].entries);
      for (const told of Object.keys(settings[name])) assert.ok(reads.includes(variableOf(told)), told);
      const [volume] = pod.volumes.filter(({ secret }) => secret);
      assert.deepEqual(
        volume?.secret?.items,
        secretVariables.filter((one) => reads.includes(one)).map((one) => ({ key: one, path: one })),
      );
    }
  });

  test('each secret is a file in the mounted volume, named as its variable, and none is a plain value', () => {
    for (const { container, pod } of all) {
      const [mount] = container.volumeMounts.filter(({ name }) => name === 'secrets');
      const [volume] = pod.volumes.filter(({ name }) => name === 'secrets');
      assert.equal(volume?.secret?.secretName, 'secrets');
      for (const [name, path = ''] of secretFiles) {
        assert.equal(dirname(path), mount?.mountPath);
        assert.equal(`${basename(path)}_FILE`, name);
      }
    }
    const told = Object.keys(together).filter((name) =>
      secretVariables.some((one) => one === variableOf(name)),
    );
    assert.deepEqual(
      told,
      secretFiles.map(([name]) => name),
    );
  });

  test('app and worker start in production with them, and a missing file is named', async (t) => {
    const folder = await makeFolder(t);
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
    const { STRIPE_PUBLISHABLE_KEY } = sandboxKeys;
    const environmentOf = async (name: 'app' | 'worker') => {
      const told: Record<string, string | undefined> = { ...settings.both, ...settings[name] };
      for (const [file, path = ''] of secretFiles.filter(([one]) => one in told)) {
        told[file] = join(folder, basename(path));
        await writeFile(told[file], values[basename(path)] ?? '');
      }
      if (name === 'app') Object.assign(told, { STRIPE_PUBLISHABLE_KEY });
      const sandbox = { PAYMENTS: 'sandbox', STRIPE_API_BASE: 'http://sandbox.example' };
      return { ...told, ...sandbox, NODE_ENV: 'production', OPS_HOST: '0.0.0.0' };
    };
    const app = readAppConfig(await environmentOf('app'));
    assert.equal(app.linkSecrets[0], sampleLinkSecret.LINK_SECRET);
    assert.equal(app.users.length, 2);
    const ofWorker = await environmentOf('worker');
    assert.deepEqual(readWorkerConfig(ofWorker).mail.transport, { kind: 'smtp', url: values.SMTP_URL });
    await rm(join(folder, 'SMTP_URL'));
    assert.throws(() => readWorkerConfig(ofWorker), /SMTP_URL_FILE names a file that cannot be read/);
  });
});

describe('the examples of Kubernetes', () => {
  test('a kustomization of one’s own changes the manifests as it says', async (t) => {
    const kubectl = await run('kubectl', ['version', '--client', '--output=json']).catch(() => undefined);
    if (!kubectl) return t.skip('kubectl is not here');
    const folder = await makeFolder(t);
    await cp('server/ops/kubernetes', join(folder, 'manifests'), { recursive: true });
    await mkdir(join(folder, 'own'));
    const own = await readManifestFile('own-kustomization.yml');
    const here = own.replace(/^resources: .*/m, 'resources: [../manifests]');
    await writeFile(join(folder, 'own/kustomization.yaml'), here);
    const { stdout } = await run('kubectl', ['kustomize', join(folder, 'own')]);
    const manifests = parseManifests(stdout);
    assert.equal(await typeProblems(manifests), '');
    const made = processes(manifests);
    assert.deepEqual(
      made.map(({ image }) => image),
      Array(2).fill('registry.retreat.example/site:2.0.0'),
    );
    const maps = manifests.filter(({ kind }) => kind === 'ConfigMap');
    const data = Object.assign({}, ...maps.map((map) => v.parse(v.record(v.string(), v.string()), map.data)));
    assert.deepEqual(Object.keys(data).toSorted(), Object.keys(together).toSorted());
    assert.equal(data.PUBLIC_URL, 'https://www.retreat.example');
    assert.equal(data.MAIL_FROM, together.MAIL_FROM);
    const names = maps.map(({ metadata }) => metadata.name);
    for (const { container } of made)
      for (const { configMapRef } of container.envFrom) assert.ok(names.includes(configMapRef.name));
  });

  test('promtool accepts the scrape configuration', async (t) => {
    const folder = await makeFolder(t);
    // Debian's Prometheus is built without the service discovery of Kubernetes.
    const example = await readManifestFile('prometheus.yml');
    const config = example.replace(/^ *kubernetes_sd_configs:\n.*?^(?= *relabel)/ms, '');
    assert.doesNotMatch(config, /kubernetes_sd/);
    await writeFile(join(folder, 'prometheus.yml'), config);
    await run(ensureProgram(promtoolProgram), [
      'check',
      'config',
      '--syntax-only',
      join(folder, 'prometheus.yml'),
    ]);
  });
});
