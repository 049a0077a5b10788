import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from './child.ts';

/** A program that this machine may or may not have. */
interface SystemProgram {
  name: string;
  /** Names of its command, the best first, searched in PATH; an absolute path is checked as it is. */
  commands: readonly string[];
  /** The apt packages that contain one of these commands, the best first. */
  apt: readonly string[];
  /** The formula of Homebrew. */
  brew: string;
  /** Its path in the first package, if installing that would start a service: the package is then only unpacked. */
  unpack?: string;
}

/** The folder for programs that were unpacked from their packages. */
const PROGRAMS = fileURLToPath(new URL('../../.data/programs', import.meta.url));
/** Where programs are beside PATH: in Homebrew's folders, and unpacked. */
const FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin', PROGRAMS];

const postgresFolders = [18, 17, 16, 15].flatMap((version) => [
  `/usr/lib/postgresql/${version}/bin`,
  `/opt/homebrew/opt/postgresql@${version}/bin`,
]);
const chromium = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macApps = ['Google Chrome', 'Chromium'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

/** `npm start` needs only Redis, the others are for tests. */
export const programs = {
  redis: { name: 'Redis', commands: ['redis-server', 'valkey-server'], apt: ['redis-server'], brew: 'redis' },
  /** What prepares a server's folder; the server itself lies beside it. Debian keeps both out of PATH. */
  postgres: {
    name: 'PostgreSQL',
    commands: ['initdb', ...postgresFolders.map((folder) => `${folder}/initdb`)],
    apt: ['postgresql'],
    brew: 'postgresql@17',
  },
  /** Without windows and menus it takes a third less CPU time. */
  chromium: {
    name: 'Chromium',
    commands: ['chromium-headless-shell', ...chromium, ...macApps],
    apt: ['chromium-headless-shell', 'chromium'],
    brew: 'chromium',
  },
  firefox: { name: 'Firefox', commands: ['firefox-esr', 'firefox'], apt: ['firefox-esr'], brew: 'firefox' },
  /** The driver of WebKitGTK's MiniBrowser, with that browser. */
  webKit: {
    name: 'WebKitGTK',
    commands: ['WebKitWebDriver'],
    apt: ['webkit2gtk-driver'],
    brew: 'webkitgtk',
  },
  /** A display in memory, for a browser that needs one. */
  xvfb: { name: 'Xvfb', commands: ['Xvfb'], apt: ['xvfb'], brew: 'xorg-server' },
  promtool: unpacked('promtool', 'prometheus', 'usr/bin/promtool'),
  caddy: unpacked('Caddy', 'caddy', 'usr/bin/caddy'),
  nginx: unpacked('nginx', 'nginx', 'usr/sbin/nginx'),
  pgBouncer: unpacked('PgBouncer', 'pgbouncer', 'usr/sbin/pgbouncer'),
} satisfies Record<string, SystemProgram>;

function unpacked(name: string, source: string, unpack: string): SystemProgram {
  return { name, commands: [basename(unpack)], apt: [source], brew: source, unpack };
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
  const { name, apt, brew } = program;
  throw new StartError(
    `${name} is missing and cannot be installed from here: install it (apt-get install ${apt.at(-1)}, or brew install ${brew}) and try again.`,
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
  const { apt, unpack: pathInPackage, brew } = program;
  const asRoot = process.getuid?.() === 0 ? '' : succeeds('sudo', '-n', 'true') ? 'sudo -n ' : undefined;
  const install = (one: string) => `${asRoot}apt-get install -y -qq --no-install-recommends ${one}`;
  // What is unpacked misses the libraries that an installation would bring.
  const libraries = `apt-cache depends --important ${apt[0]} | sed -n 's/.*Depends: \\(lib[^ ]*\\)$/\\1/p'`;
  const installLibraries = asRoot === undefined ? '' : `${install(`$(${libraries})`)}; `;
  const unpack = `${installLibraries}mkdir -p "$PROGRAMS" && cd "$(mktemp -d "$PROGRAMS/package-XXXXXX")" &&
    apt-get download -qq -o APT::Sandbox::User=root ${apt[0]} &&
    dpkg-deb --extract *.deb . && mv ${pathInPackage} .. && rm -r "$PWD"`;
  const byApt = pathInPackage ? [unpack] : asRoot === undefined ? [] : apt.map(install);
  // A machine whose lists of packages are old or empty has to update them first.
  const updated = asRoot === undefined ? [] : byApt.map((script) => `${asRoot}apt-get update -qq; ${script}`);
  return [
    ...[...byApt, ...updated].map((script): [string, string] => ['apt-get', script]),
    ['brew', `brew install ${brew}`],
  ];
}

const succeeds = (...[command = '', ...args]: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;
