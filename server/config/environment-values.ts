import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import addressparser from 'nodemailer/lib/addressparser';
import * as v from 'valibot';

export const port = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/, 'must be a port number'),
  v.transform(Number),
  v.maxValue(65535, 'must be a port number'),
);

/** A positive whole number of six digits at most. */
export const count = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, 'must be a whole number above 0'),
  v.transform(Number),
);

/** How long something may wait: two minutes at most. */
export const seconds = v.pipe(
  v.string(),
  v.regex(/^\d{1,3}$/, 'must be a number of seconds'),
  v.transform(Number),
  v.maxValue(120, 'must be 120 at most'),
);

export function text(hint: string) {
  return v.pipe(v.string(`is missing: ${hint}`), v.trim(), v.nonEmpty(`is empty: ${hint}`));
}

/** Text that is shown on one line of the page and the letters; `hint` says what it is. */
export function line(hint: string) {
  return v.pipe(
    text(hint),
    v.regex(/^[^\p{Cc}]{1,200}$/u, `must be one line of at most 200 characters: ${hint}`),
  );
}

/** A number to dial, of seven digits at least. */
export function dialled(hint: string) {
  return v.pipe(text(hint), v.regex(/^\+?(?:[\s().-]*\d){7,20}$/, `must be ${hint}`));
}

/** Several values, separated by commas. */
export function list(hint: string) {
  return v.pipe(
    text(hint),
    v.transform((value) => value.split(',').map((one) => one.trim())),
  );
}

/** The minimum length of a secret, so that nobody can guess it. */
const SECRET_LENGTH = 32;

/** One secret or several, separated by commas; `hint` says what they are for. */
export function secrets(hint: string) {
  return v.pipe(
    list(hint),
    v.check(
      (values) => values.every(({ length }) => length >= SECRET_LENGTH),
      `must have at least ${SECRET_LENGTH} characters, such as openssl rand -hex 32 makes`,
    ),
    v.check((values) => !values.some(isGuessed), GUESSED),
  );
}

/** Random secrets of the shortest length allowed have more different characters than this. */
export const FEW_CHARACTERS = 7;
const GUESSED = 'can be guessed: it has few different characters, unlike what openssl rand -base64 32 makes';
const isGuessed = (secret: string): boolean =>
  new Set(secret.replace(/^whsec_|=+$/g, '')).size <= FEW_CHARACTERS;

const WEBHOOK_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
/** In bytes, as the Standard Webhooks specification requires. */
const WEBHOOK_SECRET_BYTES = { least: 24, most: 64 };

/** One secret of a webhook or several, separated by commas; `hint` says what they are for. */
export function webhookSecrets(hint: string) {
  const { least, most } = WEBHOOK_SECRET_BYTES;
  const isSecret = (secret: string) => {
    const { length } = Buffer.from(WEBHOOK_SECRET.exec(secret)?.[1] ?? '', 'base64');
    return length >= least && length <= most;
  };
  return v.pipe(
    list(hint),
    v.check(
      (values) => values.every(isSecret),
      `must be whsec_ and base64 of ${least} to ${most} bytes, such as openssl rand -base64 32 makes`,
    ),
    v.check((values) => !values.some(isGuessed), GUESSED),
  );
}

/** Whether something does not throw. */
function canDo(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

export function choice<const Words extends readonly string[]>(...words: Words) {
  return v.picklist(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
}

const decodable = v.check(
  holdsDecodable,
  'contains a user or password that is not percent-encoded: write %25 for %',
);

/** An address whose user and password, if any, can be decoded. */
export function url(hint: string, ...protocols: string[]) {
  return v.pipe(
    text(hint),
    v.check((value) => isUrl(value, protocols), `must be ${hint}`),
    decodable,
  );
}

/** One server; further options of the client cannot be set in it. */
export const redisUrl = v.pipe(
  url('the address of Redis, such as redis://redis:6379', 'redis:', 'rediss:'),
  v.check((value) => {
    const { pathname, search, hash } = new URL(value);
    return /^\/?\d{0,4}$/.test(pathname) && search === '' && hash === '';
  }, 'must end with the port, or with / and the number of a database'),
  // ioredis speaks TLS only where the scheme is written small.
  v.transform((value) => new URL(value).href),
);

/** An SQLite file by its absolute path, or a PostgreSQL database. */
export function databaseUrl(hint: string) {
  return v.pipe(
    text(hint),
    v.check((value) => isFileUrl(value) || isUrl(value, ['postgresql:', 'postgres:']), `must be ${hint}`),
    decodable,
    v.check(
      isReadByDriver,
      `must have nothing after ? but ${DATABASE_OPTIONS.slice(0, -1).join(', ')} and ${DATABASE_OPTIONS.at(-1)}, each once: host, port, user and password stand before it`,
    ),
    v.check(
      saysHowEncrypted,
      'must end with ?sslmode=verify-full, or with ?sslmode=disable where nobody else can listen',
    ),
  );
}

const FILE_URL = /^file:(?:\/\/)?\/[^/?#]([^?#]*[^/?#])?$/;

function isFileUrl(value: string): boolean {
  return FILE_URL.test(value) && canDo(() => fileURLToPath(value));
}

const DATABASE_OPTIONS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * Whether the driver connects to what stands before the query. Others of its parameters, such as `host`, override that,
 * and of two values it uses the last.
 * @see https://github.com/brianc/node-postgres/tree/master/packages/pg-connection-string
 */
function isReadByDriver(value: string): boolean {
  const names = [...new URL(value).searchParams.keys()];
  return new Set(names).size === names.length && names.every((name) => DATABASE_OPTIONS.includes(name));
}

/** The other modes encrypt without knowing to whom. */
function saysHowEncrypted(value: string): boolean {
  const { protocol, hostname, searchParams } = new URL(value);
  const mode = searchParams.get('sslmode');
  if (protocol === 'file:' || (mode === null && isLoopback(hostname))) return true;
  return mode === 'verify-full' || mode === 'disable';
}

/** The absolute path of a folder; `hint` says which. */
export function folder(hint: string) {
  return v.pipe(text(hint), v.check(isAbsolute, `must be ${hint}: a path that begins with /`));
}

export const httpUrl = (hint: string) => url(hint, 'http:', 'https:');

/** An address that visitors see. */
export function publicUrl(hint: string) {
  return v.pipe(
    httpUrl(hint),
    v.check((value) => {
      const { username, password } = new URL(value);
      return username === '' && password === '';
    }, 'must not contain a user or password: every visitor sees it'),
  );
}

/** Who a mail is from: a name, or none, and one e-mail address. */
export function sender(hint: string) {
  return v.pipe(
    text(hint),
    v.check((value) => {
      const [first, ...others] = addressparser(value);
      return others.length === 0 && v.is(address, first?.address);
    }, `must be ${hint}`),
  );
}

const address = v.pipe(v.string(), v.email());

function isUrl(value: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocols.includes(protocol) && hostname !== '';
}

function holdsDecodable(value: string): boolean {
  const { username, password } = new URL(value);
  return canDo(() => decodeURIComponent(username + password));
}

/** Whether a host is the loopback interface of this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || (ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback');
}

const HINT =
  'must be the number of proxies in front of the site, or their addresses or networks separated by commas (not wider than /8, IPv6: /16), or none';

/** Express's own names for the private networks. */
const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/**
 * Which proxies may say who a visitor is: how many there are in front of the site, or where they are. Never a
 * large part of the address space: a forged X-Forwarded-For would then be trusted. `none` is an explicit 0.
 * @see https://expressjs.com/en/guide/behind-proxies.html
 */
export const trustProxy = v.union(
  [
    v.pipe(v.string(), v.regex(/^\d$/), v.transform(Number)),
    v.pipe(
      v.literal('none'),
      v.transform(() => 0),
    ),
    v.pipe(
      list(HINT),
      v.check((proxies) => proxies.every(isNetwork), HINT),
    ),
  ],
  HINT,
);

function isNetwork(proxy: string): boolean {
  if (NAMED_NETWORKS.has(proxy) || isIP(proxy) !== 0) return true;
  if (!ipaddr.isValidCIDR(proxy)) return false;
  const [address, bits] = ipaddr.parseCIDR(proxy);
  if (address instanceof ipaddr.IPv4) return bits >= 8;
  // Those of IPv4 are written as such: what begins with zeros may hold all of them.
  return bits >= 16 && address.parts[0] !== 0;
}
