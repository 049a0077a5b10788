import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program that this machine may or may not have, and the packages that contain it. */
export interface SystemProgram {
  /** Its name in messages, such as `Redis`. */
  name: string;
  /** Names of its command, the best first, searched in PATH; an absolute path is checked as it is. */
  commands: readonly string[];
  /** Packages that contain one of these commands, the best first. */
  aptPackages: readonly string[];
  brewFormula: string;
  /**
   * Its path in the first package, if installing that package would start a service: the package is then only
   * unpacked.
   */
  pathInPackage?: string;
}

/** The folder for programs that were unpacked from their packages. */
const PROGRAMS = fileURLToPath(new URL('../../.data/programs', import.meta.url));
/** Where programs are beside PATH: in Homebrew's folders, and unpacked. */
const FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin', PROGRAMS];

export const redisProgram: SystemProgram = {
  name: 'Redis',
  commands: ['redis-server', 'valkey-server'],
  aptPackages: ['redis-server'],
  brewFormula: 'redis',
};

export const chromiumProgram: SystemProgram = {
  name: 'Chromium',
  commands: [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  aptPackages: ['chromium'],
  brewFormula: 'chromium',
};

/** Chromium for browser tests: without windows and menus it takes a third less CPU time. */
export const headlessProgram: SystemProgram = {
  ...chromiumProgram,
  commands: ['chromium-headless-shell', ...chromiumProgram.commands],
  aptPackages: ['chromium-headless-shell', ...chromiumProgram.aptPackages],
};

/** Checks and tests alert rules. Installing its package would start Prometheus. */
export const promtoolProgram = unpacked('promtool', 'prometheus', 'usr/bin/promtool');

/** The proxy that server/ops/README.md shows. Installing its package would start it. */
export const caddyProgram = unpacked('Caddy', 'caddy', 'usr/bin/caddy');

/** The cache that server/ops/cdn.nginx.conf configures. Installing its package would start it. */
export const nginxProgram = unpacked('nginx', 'nginx', 'usr/sbin/nginx');

function unpacked(name: string, source: string, pathInPackage: string): SystemProgram {
  const commands = [basename(pathInPackage)];
  return { name, commands, aptPackages: [source], brewFormula: source, pathInPackage };
}

/** A program is missing and cannot be installed from here. The message says what to do. */
export class ProgramMissingError extends Error {
  constructor({ name, aptPackages, brewFormula }: SystemProgram) {
    super(
      `${name} is missing and cannot be installed from here: install it (apt-get install ${aptPackages.at(-1)}, or brew install ${brewFormula}) and try again.`,
    );
    this.name = 'ProgramMissingError';
  }
}

/**
 * Returns the path of a program. A missing program is installed or unpacked from its package, if that is
 * possible.
 * @throws {ProgramMissingError} when the program is missing and cannot be installed
 */
export function ensureProgram(program: SystemProgram): string {
  const path = findProgram(program) ?? unpackProgram(program) ?? installProgram(program);
  if (path === undefined) throw new ProgramMissingError(program);
  return path;
}

function findProgram({ commands }: SystemProgram): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FOLDERS];
  const candidates = commands.flatMap((command) =>
    command.startsWith('/') ? [command] : folders.map((folder) => join(folder, command)),
  );
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Unpacks a program from its package. This needs no root; with root, the list of packages is updated first.
 */
function unpackProgram(program: SystemProgram): string | undefined {
  const { name, aptPackages, pathInPackage } = program;
  const [aptPackage = ''] = aptPackages;
  if (pathInPackage === undefined || !succeeds(['apt-get', '--version'])) return undefined;
  console.log(`${name} is missing; taking it out of the package ${aptPackage}`);
  const root = asRoot();
  if (root) run([...root, 'apt-get', 'update', '-qq']);
  mkdirSync(PROGRAMS, { recursive: true });
  const folder = mkdtempSync(join(PROGRAMS, 'package-'));
  run(['apt-get', 'download', '-qq', '-o', 'APT::Sandbox::User=root', aptPackage], folder);
  for (const file of readdirSync(folder)) run(['dpkg-deb', '--extract', file, '.'], folder);
  const unpacked = join(folder, pathInPackage);
  if (existsSync(unpacked)) renameSync(unpacked, join(PROGRAMS, basename(pathInPackage)));
  rmSync(folder, { recursive: true });
  return findProgram(program);
}

/** By apt as root, or with a sudo that needs no password, unless the program is only unpacked; or by brew. */
function installProgram(program: SystemProgram): string | undefined {
  const { name, aptPackages, pathInPackage, brewFormula } = program;
  const root = pathInPackage === undefined ? asRoot() : undefined;
  const apt = [...(root ?? []), 'apt-get'];
  const options = ['install', '-y', '-qq', '--no-install-recommends'];
  const byApt = root ? aptPackages.map((one) => [...apt, ...options, one]) : [];
  for (const installer of [...byApt, ['brew', 'install', brewFormula]]) {
    if (!succeeds([installer[0] ?? '', '--version'])) continue;
    console.log(`${name} is missing; installing it: ${installer.join(' ')}`);
    if (byApt.includes(installer)) run([...apt, 'update', '-qq']);
    run(installer);
    const path = findProgram(program);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The words before a command that make it run as root; undefined where that is not possible. */
function asRoot(): string[] | undefined {
  if (process.getuid?.() === 0) return [];
  return succeeds(['sudo', '-n', 'true']) ? ['sudo', '-n'] : undefined;
}

function succeeds([command = '', ...args]: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function run([command = '', ...args]: string[], cwd = process.cwd()): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env, cwd });
}
