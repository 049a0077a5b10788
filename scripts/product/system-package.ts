import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from './child.ts';

/** A program that this machine may or may not have, and the packages that contain it. */
interface SystemProgram {
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

/** What prepares a PostgreSQL server's folder; the server itself lies beside it. Debian keeps both out of PATH. */
export const postgresProgram: SystemProgram = {
  name: 'PostgreSQL',
  commands: [
    'initdb',
    ...[18, 17, 16, 15].flatMap((version) => [
      `/usr/lib/postgresql/${version}/bin/initdb`,
      `/opt/homebrew/opt/postgresql@${version}/bin/initdb`,
    ]),
  ],
  aptPackages: ['postgresql'],
  brewFormula: 'postgresql@17',
};

const chromiumProgram: SystemProgram = {
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

export const firefoxProgram: SystemProgram = {
  name: 'Firefox',
  commands: ['firefox-esr', 'firefox'],
  aptPackages: ['firefox-esr'],
  brewFormula: 'firefox',
};

/** The driver of WebKitGTK's MiniBrowser, with that browser. */
export const webKitProgram: SystemProgram = {
  name: 'WebKitGTK',
  commands: ['WebKitWebDriver'],
  aptPackages: ['webkit2gtk-driver'],
  brewFormula: 'webkitgtk',
};

/** A display in memory, for a browser that needs one. */
export const xvfbProgram: SystemProgram = {
  name: 'Xvfb',
  commands: ['Xvfb'],
  aptPackages: ['xvfb'],
  brewFormula: 'xorg-server',
};

/** Checks and tests alert rules. Installing its package would start Prometheus. */
export const promtoolProgram = unpacked('promtool', 'prometheus', 'usr/bin/promtool');

/** The proxy of server/ops/Caddyfile. Installing its package would start it. */
export const caddyProgram = unpacked('Caddy', 'caddy', 'usr/bin/caddy');

/** The cache that server/ops/cdn.nginx.conf configures. Installing its package would start it. */
export const nginxProgram = unpacked('nginx', 'nginx', 'usr/sbin/nginx');

/** A pooler of PostgreSQL's connections. Installing its package would start it. */
export const pgBouncerProgram = unpacked('PgBouncer', 'pgbouncer', 'usr/sbin/pgbouncer');

function unpacked(name: string, source: string, pathInPackage: string): SystemProgram {
  const commands = [basename(pathInPackage)];
  return { name, commands, aptPackages: [source], brewFormula: source, pathInPackage };
}

/**
 * Returns the path of a program. A missing program is installed or unpacked from its package, if that is
 * possible.
 * @throws {StartError} when the program is missing and cannot be installed
 */
export function ensureProgram(program: SystemProgram): string {
  const path = findProgram(program);
  if (path !== undefined) return path;
  for (const [tool, script] of waysToGet(program)) {
    if (!succeeds(tool, '--version')) continue;
    console.log(`${program.name} is missing; getting it by ${tool}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', PROGRAMS };
    spawnSync('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'inherit'], env });
    const got = findProgram(program);
    if (got !== undefined) return got;
  }
  const { name, aptPackages, brewFormula } = program;
  throw new StartError(
    `${name} is missing and cannot be installed from here: install it (apt-get install ${aptPackages.at(-1)}, or brew install ${brewFormula}) and try again.`,
  );
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
 * What gets a program, the best first: a tool, and a shell script that uses it. apt unpacks
 * without root; it installs as root, or with a sudo that needs no password.
 */
function waysToGet(program: SystemProgram): [tool: string, script: string][] {
  const { aptPackages, pathInPackage, brewFormula } = program;
  const asRoot = process.getuid?.() === 0 ? '' : succeeds('sudo', '-n', 'true') ? 'sudo -n ' : undefined;
  const install = (one: string) => `${asRoot}apt-get install -y -qq --no-install-recommends ${one}`;
  // What is unpacked misses the libraries that an installation would bring.
  const libraries = `apt-cache depends --important ${aptPackages[0]} | sed -n 's/.*Depends: \\(lib[^ ]*\\)$/\\1/p'`;
  const installLibraries = asRoot === undefined ? '' : `${install(`$(${libraries})`)}; `;
  const unpack = `${installLibraries}mkdir -p "$PROGRAMS" && cd "$(mktemp -d "$PROGRAMS/package-XXXXXX")" &&
    apt-get download -qq -o APT::Sandbox::User=root ${aptPackages[0]} &&
    dpkg-deb --extract *.deb . && mv ${pathInPackage} .. && rm -r "$PWD"`;
  const byApt = pathInPackage ? [unpack] : asRoot === undefined ? [] : aptPackages.map(install);
  // A machine whose lists of packages are old or empty has to update them first.
  const updated = asRoot === undefined ? [] : byApt.map((script) => `${asRoot}apt-get update -qq; ${script}`);
  return [
    ...[...byApt, ...updated].map((script): [string, string] => ['apt-get', script]),
    ['brew', `brew install ${brewFormula}`],
  ];
}

const succeeds = (...[command = '', ...args]: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;
