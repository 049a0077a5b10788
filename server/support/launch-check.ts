import { Resolver } from 'node:dns/promises';
import addressparser from 'nodemailer/lib/addressparser';
import * as v from 'valibot';
import { printable } from '#server/acts/words.ts';
import { environmentProblems, kubernetesProblems } from '#server/config/environment-problems.ts';
import { DECIDERS, done, type LaunchItem, left, notSeen, type Said } from '#server/config/launch-item.ts';
import {
  isOpen,
  type JudgedItem,
  judgeItems,
  launchItems,
  STATES,
  strayConfirmations,
} from '#server/config/launch-list.ts';
import { type Given, readEnvironment } from '#server/config/read-environment.ts';
import { environmentSchema, schemas } from '#server/config/variables.ts';
import { COPY_LATE_S, newestCopyIn } from '#server/database/copies.ts';
import { causeOf } from '#server/http/app-error.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { formatDate } from '#shared/dates.ts';
import { command, flag } from './command.ts';
import { printableJson } from './terminal-text.ts';

const text = v.optional(v.string());

/** The command that lists what is left before launch. It changes nothing, and asks neither Redis nor the register. */
export const launchCheckCommand = command({
  usage: 'launch-check [--all] [--json] [--dkim-selector NAME] [--dns-server ADDRESS]',
  help: 'Lists what is left before launch, by who decides it: content, configuration, copies, Stripe’s account, the DNS of the\n      sender. NAME is the one of the mail provider’s DKIM key. It changes nothing. With --all also what is done.',
  takes: { all: flag, json: flag, 'dkim-selector': text, 'dns-server': text },
  async run(given, { env }) {
    const asked = { dkimSelector: given['dkim-selector'], server: given['dns-server'] };
    const judged = judgeItems(await readItems(env, asked));
    const items = judged.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
    const open = items.filter(isOpen);
    const isLeft = open.length > 0;
    if (given.json) return { text: printableJson({ edition: facts.id, left: open.length, items }), isLeft };
    return { text: textOf(items, given.all), isLeft };
  },
});

/** The whole list. A source that fails is an item of its own, and hides no other. */
async function readItems(
  env: NodeJS.ProcessEnv,
  asked: Omit<Sender, 'sender' | 'office'>,
): Promise<LaunchItem[]> {
  const { given } = readEnvironment(environmentSchema, env);
  const problems = problemsOfWorker(env);
  const sources: Readonly<Record<string, () => Promise<LaunchItem[]>>> = {
    'newest-copy': () => copyItems(given.BACKUP_DIR),
    stripe: () => askStripe(given),
    dns: () => senderItems({ sender: given.MAIL_FROM ?? '', office: given.OFFICE_EMAIL ?? '', ...asked }),
  };
  const read = Object.entries(sources).map(([name, source]) =>
    source().catch((error: unknown) => failed(name, error)),
  );
  const items = [
    ...launchItems(given, 'worker'),
    ...problems.map((problem) => ({ ...WRONG, id: `variable-${nameIn(problem)}`, says: `${problem}.` })),
    ...(await Promise.all(read)).flat(),
  ];
  return [...items, ...strayConfirmations(items)];
}

/** What keeps a worker with these variables from starting; samples and the like are items by themselves. */
function problemsOfWorker(env: NodeJS.ProcessEnv): string[] {
  const { given, problems } = readEnvironment(schemas.worker, env);
  return [...problems, ...environmentProblems(given), ...kubernetesProblems(env, given)];
}

/** Loads the SDK only here: other commands do not need it. */
async function askStripe({ STRIPE_SECRET_KEY, STRIPE_API_BASE, PUBLIC_URL }: Given): Promise<LaunchItem[]> {
  if (!STRIPE_SECRET_KEY || !PUBLIC_URL) return [];
  const { stripeItems } = await import('#server/payments/launch-stripe.ts');
  return stripeItems({ secretKey: STRIPE_SECRET_KEY, apiBase: STRIPE_API_BASE, siteUrl: PUBLIC_URL });
}

/** How old the newest copy of the register is; nothing where this process knows no folder of copies. */
async function copyItems(folder: string | undefined): Promise<LaunchItem[]> {
  if (folder === undefined) return [];
  const item = { id: 'newest-copy', decides: 'engineer' } as const;
  const newest = await newestCopyIn(folder);
  if (!newest) return [{ ...item, says: `There is no copy of the register in ${folder}.`, standing: 'left' }];
  const seconds = (Date.now() - newest.getTime()) / 1000;
  const says = `The newest copy of the register in ${folder} was made ${Math.round(seconds / 60)} minutes ago.`;
  return [{ ...item, says, standing: seconds > COPY_LATE_S ? 'left' : 'done' }];
}

const WRONG = { decides: 'engineer', standing: 'left' } as const;

/** The variable that a problem begins with, as part of an id. */
const nameIn = (problem: string): string => problem.replace(/ .*/s, '').toLowerCase().replaceAll('_', '-');

function failed(id: string, error: unknown): LaunchItem[] {
  return [{ id, decides: 'engineer', ...notSeen(`This could not be looked at: ${causeOf(error).message}.`) }];
}

const MARKS = { left: '!', undecided: ' ', unseen: '?', confirmed: 'x', done: 'x' } as const;

function textOf(items: readonly JudgedItem[], withDone: boolean): string {
  const [left, undecided, unseen, confirmed, done] = STATES.map(
    (wanted) => items.filter(({ state }) => state === wanted).length,
  );
  const groups = DECIDERS.flatMap((decider) => {
    const shown = items.filter((item) => item.decides === decider && (withDone || item.state !== 'done'));
    return shown.length > 0 ? [[`The ${decider}`, ...shown.map(lineOf)].join('\n')] : [];
  });
  return [
    `Before the launch of ${facts.id}: ${left} to change [!], ${undecided} to decide [ ],\n${unseen} not seen [?]; ${confirmed} confirmed and ${done} done [x].`,
    ...groups,
    [
      'Who has decided [ ] or looked at [?] something writes its name into `confirmed` of edition.yaml, with `by` and `on`.',
      'Redis and the register were not asked: the status page of the office tells how they are.',
    ].join('\n'),
  ].join('\n\n');
}

function lineOf({ id, says, source, state, confirmed }: JudgedItem): string {
  const by = confirmed && `Confirmed by ${confirmed.by}, ${formatDate(confirmed.on)}.`;
  const more = [by, source && `See ${source}`].flatMap((words) =>
    words ? [`      ${printable(words)}`] : [],
  );
  return [`  [${MARKS[state]}] ${id}: ${printable(says)}`, ...more].join('\n');
}

/** In milliseconds: a server that is silent holds the list up for twice that. */
const PATIENCE = { timeout: 2_000, tries: 2 };

export interface Sender {
  /** `MAIL_FROM`. */
  sender: string;
  /** `OFFICE_EMAIL`, to which readers answer; it may be of another domain. */
  office: string;
  /** Names the key that the mail provider signs with; without it DKIM cannot be looked up. */
  dkimSelector: string | undefined;
  /** Another server than that of the machine, such as 1.1.1.1 or 127.0.0.1:5353. */
  server: string | undefined;
}

/**
 * The records that let receivers trust letters from a domain, and those by which answers arrive. What no server tells is
 * not taken as missing.
 */
export async function senderItems({ sender, office, dkimSelector, server }: Sender): Promise<LaunchItem[]> {
  const [domain, answered] = [domainOf(sender), domainOf(office)];
  const resolver = new Resolver(PATIENCE);
  if (server) resolver.setServers([server]);
  const texts = async (name: string) =>
    (await found(resolver.resolveTxt(name))).map((parts) => parts.join(''));
  const item = (id: string, source: string, read: () => Promise<Said>) => {
    const what = `${id.slice(4).toUpperCase()} of ${id === 'dns-mx' ? answered : domain}`;
    const unseen = (error: unknown): Said =>
      notSeen(`${what} cannot be looked up: ${causeOf(error).message}.`);
    const kept = { id, decides: 'engineer' as const, source: `https://www.rfc-editor.org/rfc/${source}` };
    return read()
      .catch(unseen)
      .then((said) => ({ ...kept, ...said }));
  };
  const ofAnswers = answered
    ? [item('dns-mx', 'rfc5321#section-5.1', () => mailHostOf(answered, resolver))]
    : [];
  if (!domain) return Promise.all(ofAnswers);
  return Promise.all([
    ...ofAnswers,
    item('dns-spf', 'rfc7208', async () => spfOf(domain, await texts(domain))),
    item('dns-dkim', 'rfc6376', async () => {
      if (!dkimSelector) throw new Error('--dkim-selector says under which name');
      const name = `${dkimSelector}._domainkey.${domain}`;
      const isKey = (await texts(name)).some((text) => /(?:^|;)\s*p=\s*[^;\s]/.test(text));
      return isKey ? done(`${name} has a key.`) : left(`${name} has no DKIM key.`);
    }),
    item('dns-dmarc', 'rfc7489', async () => {
      // A subdomain is under the policy of its parents.
      for (const labels = domain.split('.'); labels.length > 1; labels.shift()) {
        const name = `_dmarc.${labels.join('.')}`;
        const policy = (await texts(name)).find((text) => /^v=DMARC1\b/.test(text));
        if (policy) return dmarcOf(name, policy, labels.length < domain.split('.').length);
      }
      return left(`${domain} has no DMARC policy: large providers refuse letters without one.`);
    }),
  ]);
}

const domainOf = (address: string): string | undefined => addressparser(address)[0]?.address?.split('@')[1];

/** A domain without MX takes mail at its own address; one with an empty MX takes none (RFC 7505). */
async function mailHostOf(domain: string, resolver: Resolver): Promise<Said> {
  const takes = done(`${domain}, of OFFICE_EMAIL, takes the answers to letters.`);
  const [first] = await found(resolver.resolveMx(domain));
  if (first) return first.exchange ? takes : left(`${domain}, of OFFICE_EMAIL, says that it takes no mail.`);
  const hosts = [await found(resolver.resolve4(domain)), await found(resolver.resolve6(domain))].flat();
  return hosts.length > 0
    ? takes
    : left(`${domain}, of OFFICE_EMAIL, has neither MX nor address: no answer to a letter arrives.`);
}

/** SPF is asked of the envelope's domain, which many providers set to one of their own: only what is open is a fact. */
function spfOf(domain: string, texts: readonly string[]): Said {
  const [record, ...others] = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  const own = 'right only if the mail provider sends with an envelope domain of its own';
  if (!record) return { says: `${domain} has no SPF record: ${own}.` };
  if (others.length > 0) return { says: `${domain} has several SPF records, so that none is valid: ${own}.` };
  if (/\s\+?all(?:\s|$)/i.test(record))
    return left(`The SPF record of ${domain} lets everybody send: end it with ~all or -all.`);
  return /\s[~-]all(?:\s|$)|\bredirect=/i.test(record)
    ? done(`${domain} has SPF.`)
    : {
        says: `The SPF record of ${domain} refuses nobody: end it with ~all or -all, or keep it on purpose.`,
      };
}

/** @param isParent whether the policy is that of a domain above, whose `sp` is for those below it */
function dmarcOf(name: string, policy: string, isParent: boolean): Said {
  const asks = (tag: string) =>
    new RegExp(`;\\s*${tag}\\s*=\\s*(none|quarantine|reject)\\b`, 'i').exec(policy)?.[1]?.toLowerCase();
  const sub = isParent ? asks('sp') : undefined;
  const asked = sub ?? asks('p');
  if (!asked) return left(`${name} names no policy.`);
  if (asked === 'none')
    return { says: `${name} only watches (${sub ? 'sp' : 'p'}=none): raise it once its reports are clean.` };
  return done(`${name} asks to ${asked}.`);
}

/** What a server tells; nothing where it tells that there is nothing. */
async function found<Record>(answer: Promise<Record[]>): Promise<Record[]> {
  try {
    return await answer;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw error;
  }
}
