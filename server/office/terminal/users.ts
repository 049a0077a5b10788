import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { renderUnicodeCompact } from 'uqr';
import * as v from 'valibot';
import { formatUser, ROLES, USER_NAME } from '#server/config/users.ts';
import { Refusal } from '#server/office/commands/command.ts';
import { authenticatorAddress, hashPassword, newCodeSecret } from '#server/office/users/credentials.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { command, flag, oneWord, word } from './command.ts';

const userName = v.pipe(
  word('NAME'),
  v.regex(USER_NAME, 'NAME is of small letters, digits, - and _, and begins with a letter or digit'),
);
const role = v.pipe(v.optional(v.string(), ''), v.picklist(ROLES, `--role is ${ROLES.join(' or ')}`));

/** Long enough that nobody guesses it at the rate limit of the sign-in, or offline from the file of users. */
const LEAST_CHARACTERS = 12;
const MOST_CHARACTERS = 200;
/** What the passwords that are tried first are made of, and the words of this place: they count for nothing. */
const GUESSED =
  /password|passw0rd|qwerty|12345678?9?|abc123|iloveyou|letmein|welcome|admin|office|support|retreat/g;
const LEAST_BESIDES = 8;

export const usersCommand = command({
  usage: `users NAME --role ${ROLES.join('|')} [--totp]`,
  help: 'Prints the line of a user for the file that OPS_USERS_FILE names; office decides about registrations, support besides\n      looks after the site. Asks for the password, or reads it from standard input. With --totp the sign-in wants a code too.',
  takes: { words: oneWord(userName), role, totp: flag },
  async run({ words: [name], role, totp: wantsCodes }) {
    const password = await readPassword(`Password for ${name}`);
    const weakness = weaknessOf(password, name);
    if (weakness) throw new Refusal('failed', `The password ${weakness}.`);
    const totp = wantsCodes ? newCodeSecret() : undefined;
    if (totp) {
      const address = authenticatorAddress(`Office of ${facts.siteName}`, name, totp);
      const code = renderUnicodeCompact(address, { border: 2 });
      // Standard output, with the user's line, may be redirected into the file.
      process.stderr.write(`\n${code}\n\nFor the authenticator: ${address}\n\n`);
    }
    return formatUser({ name, role, password: await hashPassword(password), totp });
  },
});

export function weaknessOf(password: string, name: string): string | undefined {
  const { length } = [...password];
  const lower = password.toLowerCase();
  if (length < LEAST_CHARACTERS || length > MOST_CHARACTERS)
    return `needs ${LEAST_CHARACTERS} to ${MOST_CHARACTERS} characters`;
  if (lower.includes(name) && length < name.length + LEAST_CHARACTERS)
    return 'must be more than the name with a few characters';
  const besides = Math.min(new Set(password).size, lower.replace(GUESSED, '').length);
  return besides < LEAST_BESIDES ? 'is made of words or characters that are tried first' : undefined;
}

/** Asks for a new password twice; without a terminal it is the first line of standard input. */
async function readPassword(words: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? '';
  const [first, second] = [await askHidden(`${words}: `), await askHidden('Once more: ')];
  if (first !== second) throw new Refusal('failed', 'The two are not the same.');
  return first;
}

/** Reads a line from the terminal without echo, until Enter, Ctrl-C or Ctrl-D. */
async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  const stopped = new AbortController();
  for (const event of ['SIGINT', 'close']) lines.on(event, () => stopped.abort());
  try {
    return await lines.question('', { signal: stopped.signal });
  } catch (cause) {
    throw new Refusal('failed', 'No user was made.', { cause });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
