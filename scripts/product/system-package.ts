import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that this machine may or may not have, and the packages that bring it. */
export interface SystemProgram {
  /** For people: `Redis`. */
  name: string;
  /** Names it goes by, the best first; absolute paths are looked at as they are. */
  commands: readonly string[];
  aptPackage: string;
  brewFormula: string;
}

export const redisProgram: SystemProgram = {
  name: 'Redis',
  commands: [
    'redis-server',
    'valkey-server',
    '/opt/homebrew/bin/redis-server',
    '/usr/local/bin/redis-server',
  ],
  aptPackage: 'redis-server',
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
  aptPackage: 'chromium',
  brewFormula: 'chromium',
};

/** A program is missing and cannot be installed from here. The message says what to do. */
export class ProgramMissingError extends Error {
  constructor({ name, aptPackage, brewFormula }: SystemProgram) {
    super(
      `${name} is missing and cannot be installed from here: install it (apt-get install ${aptPackage}, or brew install ${brewFormula}) and try again.`,
    );
    this.name = 'ProgramMissingError';
  }
}

/**
 * The path of a program, installing the distribution's package when it is missing and that is allowed.
 * @throws {ProgramMissingError} when it is neither there nor to be had
 */
export function ensureProgram(program: SystemProgram): string {
  const path = findProgram(program) ?? installProgram(program);
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

function installProgram(program: SystemProgram): string | undefined {
  const installers = [...aptInstallers(program), ['brew', 'install', program.brewFormula]];
  const installer = installers.find(([command = '']) => succeeds([command, '--version']));
  if (!installer) return undefined;
  console.log(`${program.name} is missing; installing it: ${installer.join(' ')}`);
  if (installer.includes('apt-get'))
    run([...installer.slice(0, installer.indexOf('apt-get') + 1), 'update', '-qq']);
  run(installer);
  return findProgram(program);
}

/** apt as root, or with a sudo that asks for no password. */
function aptInstallers({ aptPackage }: SystemProgram): string[][] {
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', aptPackage];
  if (process.getuid?.() === 0) return [install];
  return succeeds(['sudo', '-n', 'true']) ? [['sudo', '-n', ...install]] : [];
}

function succeeds([command = '', ...args]: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function run([command = '', ...args]: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
}
