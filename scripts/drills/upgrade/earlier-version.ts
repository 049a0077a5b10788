import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';

/** The version from which the drill upgrades, and its commit: a clone may lack the tag. */
export const EARLIER = { version: 'v0.1.0', commit: '55defca6fed4d1b8ca70437c04433ccbee29bd60' } as const;

const run = promisify(execFile);

/** Whether the history contains the earlier version: in a shallow clone, or without a clone, it does not. */
export async function isInHistory({ commit } = EARLIER): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
}

/**
 * Builds the earlier version from history, once, and keeps the build below `.data/`.
 * @returns the folder of its build
 */
export async function buildEarlier({ version, commit } = EARLIER): Promise<string> {
  const folder = resolve('.data/earlier', `${version}-${commit.slice(0, 12)}`);
  const built = join(folder, 'dist');
  if (await isThere(built)) return built;
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    await extractFiles(commit, fresh);
    await providePackages(fresh);
    await run(process.execPath, ['--import', 'tsx', 'scripts/build/main.ts'], { cwd: fresh });
    // The rename fails if another process has built the same version meanwhile.
    await rename(fresh, folder).catch(() => access(built));
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return built;
}

async function extractFiles(commit: string, folder: string): Promise<void> {
  const archive = spawn('git', ['archive', commit], { stdio: ['ignore', 'pipe', 'inherit'] });
  const unpack = spawn('tar', ['-x', '-C', folder], { stdio: [archive.stdout, 'ignore', 'inherit'] });
  const [[code]] = await Promise.all([once(unpack, 'exit'), once(archive, 'exit')]);
  if (code !== 0) throw new Error(`The files of ${commit} could not be unpacked`);
}

const lockSchema = v.object({
  packages: v.record(v.string(), v.looseObject({ version: v.optional(v.string()) })),
});

/**
 * Reuses this version's packages if they include all packages of the earlier version, in the same versions.
 */
async function providePackages(folder: string): Promise<void> {
  const [own, ours] = [await packagesOf(folder), await packagesOf('.')];
  const isHeld = ([path, { version }]: [string, { version?: string | undefined }]) =>
    path === '' || ours[path]?.version === version;
  if (Object.entries(own).every(isHeld)) await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: folder });
}

async function packagesOf(folder: string) {
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
  return v.parse(lockSchema, JSON.parse(lock)).packages;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
