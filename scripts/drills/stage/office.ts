import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { startChild } from '#scripts/product/child.ts';
import type { sampleUsers } from '#scripts/product/environment.ts';
import type { Stage } from './stage.ts';

const TIMEOUT_MS = 90_000;
const RETRY_MS = 1_000;
const MOST_AT_ONCE = 4;
/** The exit codes of the support program: wrong usage, nothing found; and done already, or not possible. */
const FINAL = ['code 2', 'code 3', 'code 4'];
const WRONG_STATE = 'code 4';

let running = 0;

/**
 * Runs a command of support, and runs it again until it works, as a person does. If it was done, but that was not told,
 * the next try is refused, which shows that it is done.
 * @throws {Error} when the first try is refused, or it is not done in time
 */
export async function support(
  words: readonly string[],
  { env, build }: Pick<Stage, 'env' | 'build'>,
): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    while (running >= MOST_AT_ONCE) await pause(50);
    running += 1;
    const said: string[] = [];
    const { ended } = startChild({
      ...{ name: 'support program', command: process.execPath, args: [join(build, 'support.js'), ...words] },
      env: { PATH: process.env.PATH, ...env },
      onLine: (line) => void said.push(line),
    });
    const how = await ended;
    running -= 1;
    if (how.endsWith('code 0') || (tries > 1 && how.endsWith(WRONG_STATE))) return;
    const isFinal = FINAL.some((code) => how.endsWith(code));
    if (isFinal || Date.now() > deadline)
      throw new Error(`support ${words.join(' ')} ${how}: ${said.join('\n')}`);
    await pause(RETRY_MS);
  }
}

interface Answer {
  status: number;
  cookie: string;
  text: string;
}

/** Somebody of the office, signed in. */
export type Office = Awaited<ReturnType<typeof signIn>>;

/** Signs in to the office's pages at an address, which may be that of a proxy, as one of the sample users. */
export async function signIn(
  url: string,
  host = new URL(url).host,
  name: (typeof sampleUsers)[number] = 'office',
) {
  const ask = (path: string, headers: Record<string, string>, form?: string) =>
    new Promise<Answer>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const method = form === undefined ? 'GET' : 'POST';
      request(
        { hostname, port, method, path: `/office${path}`, headers: { Host: host, ...headers } },
        (answer) => {
          const cookie = (answer.headers['set-cookie'] ?? []).map((set) => set.split(';')[0]).join('; ');
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.once('end', () => resolve({ status: answer.statusCode ?? 0, cookie, text }));
        },
      )
        .once('error', reject)
        .end(form);
    });
  const { status, cookie } = await ask(
    '/sign-in',
    { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
    `name=${name}&password=${name}`,
  );
  if (status !== 303) throw new Error(`The sign-in was answered with ${status}`);
  return {
    /** Opens a page of the office; its path begins behind `/office`. */
    open: (path: string) => ask(path, { Cookie: cookie }),
  };
}

/** What the office's pages say about a registration. */
export interface Shown {
  /** Its line in the spreadsheet, by the columns' names without the time zone. */
  row?: Readonly<Record<string, string>>;
  agreed?: { version: string; digest: string; at: number };
}

/** Reads the spreadsheet of an edition, by the payment of the deposit. */
export async function readSpreadsheet(
  office: Office,
  edition: string,
): Promise<Map<string, NonNullable<Shown['row']>>> {
  const { status, text } = await office.open(`/registrations.csv?edition=${edition}`);
  if (status !== 200) throw new Error(`The spreadsheet was answered with ${status}`);
  const rows: Record<string, string>[] = parse(text, {
    bom: true,
    columns: (names: string[]) => names.map((name) => name.replace(/ \((?!USD).*\)$/, '')),
    record_delimiter: '\r\n',
  });
  return new Map(rows.map((row) => [row.Payment ?? '', row]));
}

/** Reads from the evidence for a bank which terms she agreed to, and when. */
export async function readAgreement(office: Office, depositId: string): Promise<Shown['agreed']> {
  const { status, text } = await office.open(`/registrations/${depositId}/evidence`);
  if (status !== 200) throw new Error(`The evidence of ${depositId} was answered with ${status}`);
  const [, version, at] = /agrees to version (\S+) of the policies, on (\S+Z) by/.exec(text) ?? [];
  const [, digest] = /in that moment: ([0-9a-f]{64})/.exec(text) ?? [];
  return version && at && digest ? { version, digest, at: Date.parse(at) } : undefined;
}
