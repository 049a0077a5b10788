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

/** A program that this machine may or may not have, and the packages that bring it. */
export interface SystemProgram {
  /** For people: `Redis`. */
  name: string;
  /** Names it goes by, the best first; absolute paths are looked at as they are. */
  commands: readonly string[];
  /** Those that bring one of them, the best first. */
  aptPackages: readonly string[];
  brewFormula: string;
  /** Where it is in the first of these packages, if that would start a service: it is not installed, only unpacked. */
  pathInPackage?: string;
}

/** Where programs are that were taken out of their packages. */
const PROGRAMS = fileURLToPath(new URL('../../.data/programs', import.meta.url));

export const redisProgram: SystemProgram = {
  name: 'Redis',
  commands: [
    'redis-server',
    'valkey-server',
    '/opt/homebrew/bin/redis-server',
    '/usr/local/bin/redis-server',
  ],
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

/** What a browser test needs of Chromium: without its windows and menus it takes a third less CPU. */
export const headlessProgram: SystemProgram = {
  ...chromiumProgram,
  commands: ['chromium-headless-shell', ...chromiumProgram.commands],
  aptPackages: ['chromium-headless-shell', ...chromiumProgram.aptPackages],
};

/** Checks and tests alert rules. Its package would start Prometheus. */
export const promtoolProgram: SystemProgram = {
  name: 'promtool',
  commands: ['promtool', '/opt/homebrew/bin/promtool', '/usr/local/bin/promtool', join(PROGRAMS, 'promtool')],
  aptPackages: ['prometheus'],
  brewFormula: 'prometheus',
  pathInPackage: 'usr/bin/promtool',
};

/** The proxy that server/ops/README.md shows. Its package would start it. */
export const caddyProgram: SystemProgram = {
  name: 'Caddy',
  commands: ['caddy', '/opt/homebrew/bin/caddy', '/usr/local/bin/caddy', join(PROGRAMS, 'caddy')],
  aptPackages: ['caddy'],
  brewFormula: 'caddy',
  pathInPackage: 'usr/bin/caddy',
};

/** The cache that server/ops/cdn.nginx.conf is for. Its package would start it. */
export const nginxProgram: SystemProgram = {
  name: 'nginx',
  commands: ['nginx', '/opt/homebrew/bin/nginx', '/usr/local/bin/nginx', join(PROGRAMS, 'nginx')],
  aptPackages: ['nginx'],
  brewFormula: 'nginx',
  pathInPackage: 'usr/sbin/nginx',
};

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
 * The path of a program, installing the distribution's package when it is missing and that is allowed.
 * @throws {ProgramMissingError} when it is neither there nor to be had
 */
export function ensureProgram(program: SystemProgram): string {
  const path = findProgram(program) ?? unpackProgram(program) ?? installProgram(program);
  if (path === undefined) throw new ProgramMissingError(program);
  return path;
}

function findProgram({ commands }: SystemProgram): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
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

/** Takes a program out of its package. Only the list of packages, where it can be brought up to date, wants root. */
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

function installProgram(program: SystemProgram): string | undefined {
  for (const installer of [...aptInstallers(program), ['brew', 'install', program.brewFormula]]) {
    if (!succeeds([installer[0] ?? '', '--version'])) continue;
    console.log(`${program.name} is missing; installing it: ${installer.join(' ')}`);
    if (installer.includes('apt-get'))
      run([...installer.slice(0, installer.indexOf('apt-get') + 1), 'update', '-qq']);
    run(installer);
    const path = findProgram(program);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** apt as root, or with a sudo that asks for no password; not for what is only unpacked. */
function aptInstallers({ aptPackages, pathInPackage }: SystemProgram): string[][] {
  const root = asRoot();
  if (!root || pathInPackage !== undefined) return [];
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends'];
  return aptPackages.map((name) => [...root, ...install, name]);
}

/** What makes a command run as root; undefined where that is not to be had. */
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
