import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { startChild } from '#scripts/product/child.ts';
import type { sampleUsers } from '#scripts/product/environment.ts';
import type { Contact } from '#shared/registration.ts';
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
export async function support(words: readonly string[], stage: Pick<Stage, 'env' | 'build'>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    const { how, said } = await supportOnce(words, stage);
    if (how.endsWith('code 0') || (tries > 1 && how.endsWith(WRONG_STATE))) return;
    const isFinal = FINAL.some((code) => how.endsWith(code));
    if (isFinal || Date.now() > deadline) throw new Error(`support ${words.join(' ')} ${how}: ${said}`);
    await pause(RETRY_MS);
  }
}

/**
 * Lets the office register somebody who calls, and again until she is known at Stripe: never after that, as she would then
 * have a second registration. Returns her registration.
 * @throws {Error} when it is not done in time
 */
export async function registerByPhone(
  words: readonly string[],
  { email }: Pick<Contact, 'email'>,
  stage: Pick<Stage, 'env' | 'build' | 'stripe'>,
): Promise<string> {
  const { customers, paymentIntents } = stage.stripe;
  for (const deadline = Date.now() + TIMEOUT_MS; ; await pause(RETRY_MS)) {
    const { how, said } = await supportOnce(['register', ...words, '--by', 'Ada'], stage);
    const [customer] = (await customers.list({ email })).data;
    const [deposit] = customer ? (await paymentIntents.list({ customer: customer.id })).data : [];
    if (deposit && how.endsWith('code 0')) return deposit.id;
    if (customer || Date.now() > deadline)
      throw new Error(`support register ${words.join(' ')} ${how}: ${said}`);
  }
}

/** Runs a command of support; returns how it ended, and what it said. */
async function supportOnce(
  words: readonly string[],
  { env, build }: Pick<Stage, 'env' | 'build'>,
): Promise<{ how: string; said: string }> {
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
  return { how, said: said.join('\n') };
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
  /** Without the moment where the office recorded what she said on the phone. */
  agreed?: { version: string; digest: string; at?: number };
}

/** Reads the spreadsheet of an edition, by the payment of the deposit. */
export async function readSpreadsheet(
  office: Office,
  edition: string,
): Promise<Map<string, NonNullable<Shown['row']>>> {
  const { status, text } = await office.open(`/registrations.csv?edition=${edition}`);
  if (status !== 200) throw new Error(`The spreadsheet was answered with ${status}`);
  return new Map(readCsv(text).map((row) => [row.Payment ?? '', row]));
}

function readCsv(text: string): Record<string, string>[] {
  return parse(text, {
    bom: true,
    columns: (names: string[]) => names.map((name) => name.replace(/ \((?!USD).*\)$/, '')),
    record_delimiter: '\r\n',
  });
}

/** A payment or refund in the office's bookkeeping, by the columns' names without the time zone. */
export type BookRow = Readonly<Record<string, string>>;

/** Reads the bookkeeping of a month, such as `2027-03`. */
export async function readBooks(office: Office, month: string): Promise<BookRow[]> {
  const { status, text } = await office.open(`/bookkeeping.csv?month=${month}`);
  if (status !== 200) throw new Error(`The bookkeeping of ${month} was answered with ${status}`);
  return readCsv(text);
}

/** Reads from the evidence for a bank which terms she agreed to, and when. */
export async function readAgreement(office: Office, depositId: string): Promise<Shown['agreed']> {
  const { status, text } = await office.open(`/registrations/${depositId}/evidence`);
  if (status !== 200) throw new Error(`The evidence of ${depositId} was answered with ${status}`);
  // Where a place was handed over, the last one is that of who has it.
  const [, version, at] =
    [...text.matchAll(/agree[sd] to version (\S+) of the policies(?:, on (\S+Z) by| on the phone)/g)].at(
      -1,
    ) ?? [];
  const [, digest] = [...text.matchAll(/in that moment: ([0-9a-f]{64})/g)].at(-1) ?? [];
  return version && digest ? { version, digest, ...(at && { at: Date.parse(at) }) } : undefined;
}
