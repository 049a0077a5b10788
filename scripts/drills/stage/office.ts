import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import request from 'supertest';
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
 * the next try is refused, which shows that it is done. Returns what it said.
 * @throws {Error} when the first try is refused, or it is not done in time
 */
export async function support(
  words: readonly string[],
  stage: Pick<Stage, 'env' | 'build'>,
): Promise<string> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    const { how, said } = await supportOnce(words, stage);
    if (how.endsWith('code 0') || (tries > 1 && how.endsWith(WRONG_STATE))) return said;
    const isFinal = FINAL.some((code) => how.endsWith(code));
    if (isFinal || Date.now() > deadline) throw new Error(`support ${words.join(' ')} ${how}: ${said}`);
    await pause(RETRY_MS);
  }
}

/**
 * Lets the office register somebody who calls, and again until she is on its list: never after that, as she would then have
 * a second registration. Returns her registration.
 * @throws {Error} when it is not done in time
 */
export async function registerByPhone(
  edition: string,
  fields: readonly string[],
  { email }: Pick<Contact, 'email'>,
  stage: Pick<Stage, 'env' | 'build'>,
): Promise<string> {
  const words = ['act', edition, 'register', ...fields, '--by', 'Ada'];
  for (const deadline = Date.now() + TIMEOUT_MS; ; await pause(RETRY_MS)) {
    const { how, said } = await supportOnce(words, stage);
    const [, id] = /^Her registration is (reg_\w+)\.$/m.exec(said) ?? [];
    if (id !== undefined) return id;
    const listed = await support(['list', '--edition', edition], stage);
    const [registered] = listed.split('\n').filter((line) => line.split(/\s+/).includes(email));
    const [known] = /reg_\w+/.exec(registered ?? '') ?? [];
    if (known !== undefined) return known;
    if (Date.now() > deadline) throw new Error(`support ${words.join(' ')} ${how}: ${said}`);
  }
}

/** Values as fields of an act, such as `firstName=Clara`. */
export const actFields = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => `${name}=${value}`);

/** Lets the office say where the video room of an edition is. */
export async function announceRoom(edition: string, stage: Pick<Stage, 'env' | 'build'>): Promise<void> {
  await support(['act', edition, 'announce-room', 'url=https://room.example/', '--by', 'Ada'], stage);
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
    name: 'support program',
    command: process.execPath,
    args: [join(build, 'support.js'), ...words],
    env: { PATH: process.env.PATH, ...env },
    onLine: (line) => void said.push(line),
  });
  const how = await ended;
  running -= 1;
  return { how, said: said.join('\n') };
}

export type Office = Awaited<ReturnType<typeof signIn>>;

/** Signs in to the office's pages at an address, which may be that of a proxy, as one of the sample users. */
export async function signIn(
  url: string,
  host = new URL(url).host,
  name: (typeof sampleUsers)[number] = 'office',
) {
  const site = request(url);
  const form = site.post('/office/sign-in').type('form').set({ Host: host, 'Sec-Fetch-Site': 'same-origin' });
  const { status, headers } = await form.send({ name, password: name });
  if (status !== 303) throw new Error(`The sign-in was answered with ${status}`);
  const cookies = [headers['set-cookie']].flat().map((set) => String(set).split(';')[0]);
  const session = { Host: host, Cookie: cookies.join('; ') };
  return {
    /** Opens a page of the office; its path begins behind `/office`. */
    open: async (path: string) => site.get(`/office${path}`).set(session),
    /** Downloads a spreadsheet of the office: its rows, by the columns' names without the time zone. */
    async read(path: string): Promise<Row[]> {
      const answer = await this.open(path);
      if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
      return parse(answer.text, {
        bom: true,
        columns: (names: string[]) => names.map((column) => column.replace(/ \((?!USD).*\)$/, '')),
        record_delimiter: '\r\n',
      });
    },
  };
}

/** A row of a spreadsheet: a registration, or a payment or refund in the bookkeeping. */
export type Row = Readonly<Record<string, string>>;

/** What the office's pages say about a registration. */
export interface Shown {
  /** Its line in the spreadsheet. */
  row?: Row;
  /** Without the moment where the office recorded what she said on the phone. */
  agreed?: { version: string; digest: string; at?: number };
}

/** Reads from the page of a registration which terms she agreed to, and when. */
export async function readAgreement(office: Office, registration: string): Promise<Shown['agreed']> {
  const { status, text } = await office.open(`/registrations/${registration}`);
  if (status !== 200) throw new Error(`The page of ${registration} was answered with ${status}`);
  // Where a place was handed over, the first one is that of who has it.
  const agreed = text.slice(text.indexOf('id="agreed"'));
  const [, version] = />version ([^<]+)</.exec(agreed) ?? [];
  const [digest] = /\b[0-9a-f]{64}\b/.exec(agreed) ?? [];
  const [, at] = />(\S+Z), by the clock of the site</.exec(agreed) ?? [];
  return version && digest ? { version, digest, ...(at && { at: Date.parse(at) }) } : undefined;
}
