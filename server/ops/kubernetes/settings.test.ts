import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import * as v from 'valibot';
import {
  sampleLinkSecret,
  sampleMailEvents,
  sampleUserLines,
  sandboxKeys,
} from '#scripts/product/environment.ts';
import { ensureProgram, promtoolProgram } from '#scripts/product/system-package.ts';
import { readAppConfig, readWorkerConfig } from '#server/config/config.ts';
import { schemas, secretVariables } from '#server/config/variables.ts';
import { parseManifests, processes, readManifestFile, readManifests, typeProblems } from './manifests.ts';

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
const readme = await readManifestFile('README.md');
const all = processes([...(await readManifests()).values()].flat());

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** The part of the README that starts with a line, up to the end of its block of code. */
function block(firstLine: RegExp): string {
  const [, text = ''] =
    new RegExp(`^ *\`\`\`yaml\n( *${firstLine.source}.*?)^ *\`\`\`$`, 'ms').exec(readme) ?? [];
  return text.replace(new RegExp(`^${/^ */.exec(text)?.[0] ?? ''}`, 'gm'), '');
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

  test('the README names each file that is needed, and no other', () => {
    const [, named = ''] = /named as its variable: (.*?)\. An empty/s.exec(readme) ?? [];
    const names = [...named.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assert.deepEqual(names.toSorted(), secretFiles.map(([, path = '']) => basename(path)).toSorted());
  });

  test('app and worker start in production with them, and a missing file is named', async (t) => {
    const folder = await makeFolder(t);
    const values: Record<string, string> = {
      ...sandboxKeys,
      ...sampleLinkSecret,
      ...sampleMailEvents,
      OPS_USERS: sampleUserLines(2),
      SMTP_URL: 'smtps://mail.example',
      REDIS_PASSWORD: 'a-password',
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
      if (name === 'app')
        Object.assign(told, {
          STRIPE_PUBLISHABLE_KEY,
          STRIPE_SCRIPT_URL: 'http://sandbox.example/stripe.js',
        });
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

describe('the README of Kubernetes', () => {
  test('its kustomization changes the manifests as it says', async (t) => {
    const kubectl = await run('kubectl', ['version', '--client', '--output=json']).catch(() => undefined);
    if (!kubectl) return t.skip('kubectl is not here');
    const folder = await makeFolder(t);
    await cp('server/ops/kubernetes', join(folder, 'manifests'), { recursive: true });
    await mkdir(join(folder, 'own'));
    const own = block(/apiVersion: kustomize/).replace(/resources: .*/, 'resources: [../manifests]');
    await writeFile(join(folder, 'own/kustomization.yaml'), own);
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

  test('promtool accepts its scrape configuration', async (t) => {
    const folder = await makeFolder(t);
    // Debian's Prometheus is built without the service discovery of Kubernetes.
    const config = block(/scrape_configs:/).replace(/^ *kubernetes_sd_configs:\n.*?^(?= *relabel)/ms, '');
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
