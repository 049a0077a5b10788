import * as v from 'valibot';
import { FEW_CHARACTERS } from './environment-values.ts';

/** What a user may do: `office` decides about registrations, `support` also maintains the site. */
export const ROLES = ['office', 'support'] as const;
export type Role = (typeof ROLES)[number];

/** A password hashed with scrypt, and the parameters of the hash. @see RFC 7914 */
export interface PasswordHash {
  cost: number;
  blockSize: number;
  parallel: number;
  /** These two in base64url. */
  salt: string;
  hash: string;
}

/** Somebody who may sign in to the office's pages. */
export interface ConfiguredUser {
  name: string;
  role: Role;
  password: PasswordHash;
  /** The secret of her authenticator in base32, if she has one. */
  totp?: string | undefined;
}

/** A name is typed on phones, and appears in logs and URLs: lower case, nothing that has to be escaped. */
export const USER_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** The memory that one hash may use: one is computed at a time. */
const MOST_MEMORY_BYTES = 64 * 1024 * 1024;

const HASH = /^scrypt\.(\d{1,6})\.(\d{1,2})\.(\d{1,2})\.([\w-]{16,86})\.([\w-]{43,86})$/;
/** 128 bits at least. @see https://www.rfc-editor.org/rfc/rfc4226#section-4 */
const TOTP = /^[A-Z2-7]{26,128}$/;

/** A user's line in `OPS_USERS`: without `$`, which docker compose would treat as a variable. */
export function formatUser({ name, role, password, totp }: ConfiguredUser): string {
  const { cost, blockSize, parallel, salt, hash } = password;
  const hashed = ['scrypt', cost, blockSize, parallel, salt, hash].join('.');
  return [name, role, hashed, ...(totp ? [totp] : [])].join(':');
}

/** @returns the users, and a sentence for each line that is wrong, which repeats nothing of the line */
function readUsers(text: string) {
  const users: ConfiguredUser[] = [];
  const problems: string[] = [];
  for (const [index, whole] of text.split('\n').entries()) {
    const line = index + 1;
    const words = whole.trim();
    if (words === '' || words.startsWith('#')) continue;
    const user = readUser(words);
    if (typeof user === 'string') problems.push(`line ${line} ${user}`);
    else if (users.some(({ name }) => name === user.name))
      problems.push(`line ${line} has the name of a user who is there already`);
    else users.push(user);
  }
  return { users, problems };
}

/** @returns the user, or what is wrong with the line */
function readUser(words: string): ConfiguredUser | string {
  const [name = '', role, hashed, totp, ...rest] = words.split(':');
  if (!hashed || rest.length > 0) return 'is not name:role:hash or name:role:hash:totp';
  if (!USER_NAME.test(name)) return 'has a name that is not of small letters, digits, - and _';
  if (!v.is(roleSchema, role)) return `has a role that is not ${ROLES.join(' or ')}`;
  const password = readHash(hashed);
  if (!password) return 'has a hash that cannot be read';
  if (totp !== undefined && !TOTP.test(totp)) return 'has a secret for codes that cannot be read';
  return { name, role, password, totp };
}

const roleSchema = v.picklist(ROLES);

function readHash(words: string): PasswordHash | undefined {
  const [, cost, blockSize, parallel, salt, hash] = HASH.exec(words) ?? [];
  if (!salt || !hash) return undefined;
  const read = { cost: Number(cost), blockSize: Number(blockSize), parallel: Number(parallel), salt, hash };
  const isPowerOfTwo = read.cost > 1 && (read.cost & (read.cost - 1)) === 0;
  const bytes = 128 * read.cost * read.blockSize;
  const isPossible = isPowerOfTwo && bytes > 0 && bytes <= MOST_MEMORY_BYTES && read.parallel > 0;
  return isPossible ? read : undefined;
}

/** The users of `OPS_USERS`: a line for each, as `support users` prints it; `#` begins a comment. */
export const users = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    const { problems } = readUsers(dataset.typed ? dataset.value : '');
    if (problems.length > 0)
      addIssue({ message: `has lines that \`support users\` did not make: ${problems.join('; ')}` });
  }),
  v.transform((text): ConfiguredUser[] => readUsers(text).users),
);

/**
 * Whether a user's hash is weaker than OWASP recommends, or a secret for codes can be guessed.
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt
 */
export function hasWeakHash(text = ''): boolean {
  return readUsers(text).users.some(({ password: { cost, blockSize, parallel }, totp }) => {
    if (totp !== undefined && new Set(totp).size <= FEW_CHARACTERS) return true;
    return cost < 8_192 || blockSize < 8 || cost * parallel < 81_920;
  });
}
