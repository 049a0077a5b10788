import * as v from 'valibot';
import { printable } from '#server/acts/printable.ts';
import { environmentProblems, kubernetesProblems } from '#server/config/environment-problems.ts';
import { DECIDERS } from '#server/config/launch-decisions.ts';
import { type LaunchItem, notSeen } from '#server/config/launch-item.ts';
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
import { commandAlone, flag } from './command.ts';
import { printableJson } from './printable.ts';
import { type Sender, senderItems } from './sender-dns.ts';

const text = v.optional(v.string());

/** The command that lists what is left before launch. It changes nothing, and asks neither Redis nor the register. */
export const launchCheckCommand = commandAlone({
  name: 'launch-check',
  words: {},
  options: { all: flag, json: flag, 'dkim-selector': text, 'dns-server': text },
  shownOptions: '[--all] [--json] [--dkim-selector NAME] [--dns-server ADDRESS]',
  help: [
    'Lists what is left before launch, by who decides it: content, configuration, copies, Stripe’s account, the DNS of the',
    'sender. NAME is the one of the mail provider’s DKIM key. It changes nothing. With --all also what is done.',
  ],
  async run(given, env) {
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
