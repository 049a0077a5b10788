import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { parse } from 'yaml';
import { parseManifests, processes, readManifestFile, readManifests, typeProblems } from './manifests.ts';

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

  test('a field that is misspelt, missing or of another type is found', async () => {
    const [first] = parseManifests(await readManifestFile('namespace.yaml'));
    const spoilt = (changes: object) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'a' },
      ...changes,
    });
    assert.deepEqual([first], files.get('namespace.yaml'));
    for (const changes of [
      { metdata: {} },
      { metadata: { name: 'a', labels: { a: 1 } } },
      { kind: 'Namspace' },
    ])
      assert.match(await typeProblems([spoilt(changes)]), /error TS/);
    const noName = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { ports: [{ name: 'a' }] },
    };
    assert.match(await typeProblems([noName]), /'port' is missing/);
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
