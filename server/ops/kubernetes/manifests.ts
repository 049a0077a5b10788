import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { parseAllDocuments } from 'yaml';

const FOLDER = 'server/ops/kubernetes';

const manifestSchema = v.looseObject({
  apiVersion: v.string(),
  kind: v.string(),
  metadata: v.looseObject({ name: v.string() }),
});

type Manifest = v.InferOutput<typeof manifestSchema>;

/** A file of the folder, as text. */
export function readManifestFile(name: string): Promise<string> {
  return readFile(join(FOLDER, name), 'utf8');
}

/** Parses the manifests of a text as YAML 1.1, which Kubernetes reads: 0440 is octal there. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    for (const error of document.errors) throw error;
    return v.parse(manifestSchema, document.toJS());
  });
}

/** All manifests in the folder, by the file that contains them. */
export async function readManifests(): Promise<ReadonlyMap<string, readonly Manifest[]>> {
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
export async function typeProblems(manifests: readonly Manifest[]): Promise<string> {
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
export function processes(manifests: readonly Manifest[]) {
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
