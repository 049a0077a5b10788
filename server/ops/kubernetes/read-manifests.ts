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

export type Manifest = v.InferOutput<typeof manifestSchema>;

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
