import { homedir } from 'node:os';
import { leaks } from '#scripts/drills/oracle/judge.ts';
import { sampleOffice } from '#scripts/product/environment.ts';
import { ECHO, type Kind, PERSONAL, type Site } from './attack.ts';
import { judgeLetters } from './sieges.ts';

/** What came back: a status, that the connection was closed without one, or that no answer came in time. */
export interface Answer {
  outcome: number | 'closed' | 'no answer';
  text: string;
}

const FOLDERS = [process.cwd(), homedir()].filter((path) => path.length > 1);

/** What no answer may contain, each with its name in the report. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a part of the request', new RegExp(`${ECHO}|${PERSONAL}`, 'i')],
  ['a stack', /\bat .{1,200}:\d+:\d+|node:internal|node_modules/],
  ['a path of the machine', new RegExp(FOLDERS.map((path) => path.replace(/[^\w/]/g, '\\$&')).join('|'))],
  ['an inner error', /(Syntax|Type|Range|URI|Reference|Stripe\w*)Error|ECONN|Unexpected token/],
  ['a file that is not public', /root:.*:0:0|"devDependencies"|"preload":|\bSTRIPE_SECRET_KEY\b/],
  ['an injected header', /^X-Injected:/im],
];

const SHOWN = 300;

/** What is wrong with an answer, with the request that got it; undefined when all is well. */
export function judgeAnswer(kind: Kind, bytes: Uint8Array, { outcome, text }: Answer): string | undefined {
  const isAllowed = kind.allowed.some((allowed) => allowed === outcome);
  const [what] = FORBIDDEN.find(([, pattern]) => pattern.test(text)) ?? [];
  if (isAllowed && !what) return undefined;
  const fault = what && isAllowed ? `the answer (${outcome}) holds ${what}` : `answered ${outcome}`;
  const request = JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, SHOWN));
  return `${kind.name}: ${fault}\n    ${request} (${bytes.length} bytes)`;
}

/**
 * What is wrong with the site after the attacks: failures and personal values in the log, payments that nobody was told
 * of, and letters to anybody but those who registered and the office.
 */
export async function judgeSite({
  lines,
  crashes,
  stripe,
  told,
  typed,
  mailServer,
}: Site): Promise<string[]> {
  const isFailure = (line: string) => /"level":"fatal"|"msg":"request failed"|^[^{]/.test(line);
  // Of too many unfinished webhooks, one is given up for each that comes.
  const failures = lines.filter((line) => isFailure(line) && !line.includes('"code":"busy"'));
  const addresses = new Set<string>([sampleOffice.OFFICE_EMAIL, ...typed]);
  const recipients = mailServer.mails.flatMap((mail) => mail.recipients);
  const problems = [...crashes, ...leaks(lines), ...judgeLetters(recipients)];
  if (failures.length > 0)
    problems.push(`${failures.length} log lines tell of failures, such as ${failures[0]}`);
  for await (const { id, status, receipt_email } of stripe.paymentIntents.list({ limit: 100 })) {
    if (!told.has(id)) problems.push(`The payment ${id} was made, and nobody was told`);
    if (status === 'succeeded') problems.push(`The payment ${id} is paid`);
    addresses.add(receipt_email?.toLowerCase() ?? '');
  }
  const unknown = recipients.filter((address) => !addresses.has(address.toLowerCase()));
  return [...problems, ...unknown.map((address) => `${address} was sent a letter`)];
}
