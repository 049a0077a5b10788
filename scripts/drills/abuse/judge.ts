import { homedir } from 'node:os';
import { sampleOffice } from '#scripts/product/environment.ts';
import { ECHO, type Kind, PERSONAL } from './attack.ts';
import { type Measurement, type Site, SPARE_FILES } from './site.ts';
import { judgeLetters } from './visitor-sieges.ts';

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
 * What the sieges, or thousands of requests, may leave: statistics and caches that fill up once, but nothing for each
 * connection or request.
 */
const HEAP_GROWTH_MB = { sieges: 16, requests: 8 };
/** Freed memory is not given back to the system at once: this swings by 100 MB, whatever the number of requests. */
const RSS_GROWTH_MB = 200;

/** What is wrong with the site after the attacks, and what it held after the warm-up, after the sieges, and after all. */
export async function judgeSite(
  site: Site,
  [warm, besieged, last]: readonly [Measurement, Measurement, Measurement],
): Promise<string[]> {
  const problems: string[] = [];
  const expect = (well: boolean, problem: string): void => {
    if (!well) problems.push(problem);
  };
  const none = (what: string, found: readonly string[]) =>
    expect(found.length === 0, `${what}: ${found.length} times, first ${found[0]}`);
  for (const [what, before, after] of [
    ['sieges', warm, besieged],
    ['requests', besieged, last],
  ] as const) {
    const heapGrowth = after.heapMb - before.heapMb;
    const rssGrowth = after.rssMb - before.rssMb;
    const filesGrowth = (after.files ?? 0) - (before.files ?? 0);
    expect(heapGrowth <= HEAP_GROWTH_MB[what], `The heap grew by ${heapGrowth.toFixed(1)} MB by ${what}`);
    expect(rssGrowth <= RSS_GROWTH_MB, `The memory grew by ${rssGrowth.toFixed(1)} MB by ${what}`);
    expect(filesGrowth <= SPARE_FILES, `${filesGrowth} more files are open after ${what}`);
  }

  const { lines, crashes } = site;
  none('A process ended', crashes);
  const isFailure = (line: string) => /"level":"fatal"|"msg":"request failed"|^[^{]/.test(line);
  // Of too many unfinished webhooks, one is given up for each that comes.
  const isBusy = (line: string) => line.includes('"code":"busy"');
  none(
    'The log tells of a failure',
    lines.filter((line) => isFailure(line) && !isBusy(line)),
  );
  const isPersonal = (line: string) => line.toLowerCase().includes(PERSONAL);
  none('The log holds personal values', lines.filter(isPersonal));
  return [...problems, ...(await judgeEffects(site))];
}

/** Payments that nobody was told of, and letters to anybody but those who registered and the office. */
async function judgeEffects({ stripe, told, typed, mailServer }: Site): Promise<string[]> {
  const addresses = new Set<string>([sampleOffice.OFFICE_EMAIL, ...typed]);
  const problems = judgeLetters({ mailServer });
  for await (const { id, status, receipt_email } of stripe.paymentIntents.list({ limit: 100 })) {
    if (!told.has(id)) problems.push(`The payment ${id} was made, and nobody was told`);
    if (status === 'succeeded') problems.push(`The payment ${id} is paid`);
    addresses.add(receipt_email?.toLowerCase() ?? '');
  }
  const recipients = mailServer.mails.flatMap((mail) => mail.recipients);
  const strangers = recipients.filter((address) => !addresses.has(address.toLowerCase()));
  return [...problems, ...strangers.map((address) => `${address} was sent a letter`)];
}
