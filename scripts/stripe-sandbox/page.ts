import { createHash } from 'node:crypto';
import type { Express, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { Account, Kind, Kinds } from './account.ts';
import { ApiError } from './answer.ts';
import { CARD_NUMBERS, CARD_WORDS, DECLINE_CODES } from './cards.ts';
import { type Bank, laterStatus } from './charges.ts';
import type { SandboxClock } from './clock.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: start; border-bottom: 1px solid #8886; }
td:first-child { white-space: nowrap; }
`;

/** Nothing but its own style. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** The next moment after `now` to which the page offers to move the clock; undefined when there is none. */
export type NextMoment = (now: Date) => { at: string; name: string } | undefined;

export type PageOptions = { account: Account; bank: Bank; clock: SandboxClock; nextMoment: NextMoment };

/** Serves the sandbox's own page with what its buttons do, the example room, and the clock that sites follow. */
export function addOwnPage(app: Express, { account, bank, clock, nextMoment }: PageOptions): void {
  const sendPage = (response: Response, html: string) => {
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': POLICY });
    response.type('html').send(html);
  };
  app.get('/', (_request, response) =>
    sendPage(response, renderPage(account, new Date(clock.now()), nextMoment)),
  );
  app.get('/sandbox/room', (_request, response) => sendPage(response, EXAMPLE_ROOM));
  app.get('/sandbox/clock', (_request, response) => clock.follow(response));
  app.post('/sandbox/clock', onlyFromOwnPage, moveClock(clock));
  app.post('/sandbox/bank', onlyFromOwnPage, playBank(bank));
}

const onlyFromOwnPage: RequestHandler = (request, response, next) => {
  const origin = request.get('origin');
  if (origin === undefined || origin === `http://${request.get('host')}`) return next();
  response.status(403).type('text').send('Only the page of the sandbox may do this\n');
};

/** The sandbox's own page: what it is, its clock, the cards that it accepts, the objects that it contains. */
function renderPage(account: Account, now: Date, nextMoment: NextMoment): string {
  return documentOf(
    'Payment sandbox',
    `<p>This process stands in for Stripe while the site is developed. No card is charged, nothing leaves this
machine, and all is forgotten when it stops.</p>
${clockForms(now, nextMoment(now))}
<h2>Test cards</h2>
<p>Any date in the future, any CVC. Every other number is declined.</p>
${table('Test cards', 'Number,What happens', CARD_WORDS)}
${walletForm(account)}
${accountTables(account)}
${declineForm(account)}`,
  );
}

/** What the pages of a site that is tried out lead to in place of a video room. */
const EXAMPLE_ROOM = documentOf(
  'Example room',
  '<p>This page stands in for the video room. Whoever has come here has found the way in.</p>',
);

function documentOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head><body><main>
<h1>${title}</h1>
${content}
</main></body></html>
`;
}

/** Moving the clock far ahead skips nothing: everything that was due on the way happens at once. */
function clockForms(now: Date, next: ReturnType<NextMoment>): string {
  const stand = now.toISOString();
  const label = next && `Go to the next moment: ${escapeHtml(next.name)}, ${escapeHtml(next.at)}`;
  const button = next && `<p><button name="to" value="${escapeHtml(next.at)}">${label}</button></p>`;
  return `<h2>Clock</h2>
<p>It is <time datetime="${stand}">${stand.slice(0, 16).replace('T', ' ')} UTC</time> here, and on a site that runs with
CLOCK=sandbox. The clock goes on, and can be moved forward.</p>
${button ? `<form method="post" action="/sandbox/clock">${button}</form>` : ''}
<form method="post" action="/sandbox/clock"><p>
<label>Another moment, UTC <input type="datetime-local" name="to" required min="${stand.slice(0, 16)}"></label>
<button>Go there</button>
</p></form>`;
}

/** Finished HTML, which is not escaped again. */
type Html = { html: string };

type Cell = string | null | undefined | Html;

/** All objects of the account, the newest first, with what the bank can still do with each. */
function accountTables(account: Account): string {
  const section = <K extends Kind>(
    name: string,
    headings: string,
    kind: K,
    cells: (one: Kinds[K]) => Cell[],
  ) => {
    const rows = account.all(kind).map((one) => [one.id, ...cells(one)]);
    return `<h2>${name}</h2>\n${rows.length === 0 ? '<p>None yet.</p>' : table(name, headings, rows)}`;
  };
  return [
    section('Payment intents', 'Id,Amount,Status,Customer,Last error', 'payment_intent', (one) => {
      return [price(one), one.status, one.customer, one.last_payment_error?.code];
    }),
    section('Charges', 'Id,Amount,Status,Payment intent,Failure,Bank', 'charge', (one) => {
      const mayBeDisputed = one.status === 'succeeded' && !one.disputed;
      const act = mayBeDisputed ? bankButtons(one.id, { dispute: 'Dispute' }) : null;
      return [price(one), one.status, one.payment_intent, one.failure_code, act];
    }),
    section('Refunds', 'Id,Amount,Status,Charge,Bank', 'refund', (one) => {
      const later = laterStatus(account, one);
      const label = later === 'failed' ? 'Let it fail' : 'Let it succeed';
      return [price(one), one.status, one.charge, later && bankButtons(one.id, { settle: label })];
    }),
    section('Disputes', 'Id,Amount,Reason,Status,Charge,Bank', 'dispute', (one) => {
      const isOpen = one.status === 'needs_response';
      const act = isOpen ? bankButtons(one.id, { won: 'Won', lost: 'Lost' }) : null;
      return [price(one), one.reason, one.status, one.charge, act];
    }),
    section('Balance', 'Id,Amount,Fee,Net,What,Of', 'balance_transaction', (one) => {
      const [fee, net] = [one.fee, one.net].map((amount) => price({ ...one, amount }));
      return [price(one), fee, net, one.reporting_category, one.source];
    }),
    section('Setup intents', 'Id,Status,Customer,Last error', 'setup_intent', (one) => {
      return [one.status, one.customer, one.last_setup_error?.code];
    }),
    section('Customers', 'Id,Name,E-mail,Next decline', 'customer', ({ id, name, email }) => {
      const declines = account.nextDeclines.get(id) ?? [];
      return [name, email, declines.map(({ code, decline_code }) => decline_code ?? code).join(', ')];
    }),
  ].join('\n');
}

function walletForm({ walletCard }: Account): string {
  const cards = CARD_NUMBERS.map((number) =>
    option(number, `a wallet with ${number}`, number === walletCard),
  );
  return `<form method="post" action="/sandbox/bank"><p>
<label>Visitors' devices have <select name="card">${option('', 'no wallet')}${cards.join('')}</select></label>
<button name="act" value="wallet">Set it</button> Then reload the page of the site.
</p></form>`;
}

function declineForm(account: Account): string {
  const customers = account.all('customer').map(({ id, name }) => option(id, `${id} ${name ?? ''}`));
  if (customers.length === 0) return '';
  const codes = ['insufficient_funds', ...DECLINE_CODES.filter((code) => code !== 'insufficient_funds')];
  return `<form method="post" action="/sandbox/bank"><p>
<label>Decline the next charge of <select name="id">${customers.join('')}</select></label>
<label>with <select name="code">${codes.map((code) => option(code, code)).join('')}</select></label>
<button name="act" value="decline">Decline it</button>
</p></form>`;
}

function option(value: string, text: string, isSelected = false): string {
  return `<option value="${escapeHtml(value)}"${isSelected ? ' selected' : ''}>${escapeHtml(text)}</option>`;
}

function bankButtons(id: string, acts: Readonly<Record<string, string>>): Html {
  const buttons = Object.entries(acts).map(
    ([act, label]) => `<button name="act" value="${act}">${escapeHtml(label)}</button>`,
  );
  const hidden = `<input type="hidden" name="id" value="${escapeHtml(id)}">`;
  return { html: `<form method="post" action="/sandbox/bank">${hidden}${buttons.join(' ')}</form>` };
}

function table(name: string, headings: string, rows: readonly (readonly Cell[])[]): string {
  const head = headings
    .split(',')
    .map((heading) => `<th scope="col">${heading}</th>`)
    .join('');
  const textOf = (cell: Cell) => (typeof cell === 'object' && cell ? cell.html : escapeHtml(cell ?? ''));
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${textOf(cell)}</td>`).join('')}</tr>`);
  return `<div class="scroll" role="region" aria-label="${escapeHtml(name)}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`;
}

function price({ amount, currency }: { amount: number; currency: string }): string {
  return `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
}

function escapeHtml(value: string): string {
  return value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The page's date field sends no time zone: it means UTC. */
const momentSchema = v.pipe(
  v.string(),
  v.transform((to) => new Date(/[Z+]|-\d\d:\d\d$/.test(to) ? to : `${to}Z`)),
  v.date(),
);

/** Moves the clock to the moment `to`. */
function moveClock(clock: SandboxClock): RequestHandler {
  return (request, response) => {
    const { success, output } = v.safeParse(v.object({ to: momentSchema }), request.body);
    const refuse = (status: number, why: string) => response.status(status).type('text').send(`${why}\n`);
    if (!success) refuse(400, 'to must be a date and time, such as 2027-03-08T17:30Z');
    else if (output.to.getTime() < clock.now()) refuse(409, 'The clock moves forward only');
    else {
      clock.moveTo(output.to);
      response.redirect(303, '/');
    }
  };
}

const id = v.pipe(v.string(), v.trim(), v.nonEmpty());

const bankSchema = v.variant('act', [
  v.object({ act: v.literal('decline'), id, code: v.picklist(DECLINE_CODES) }),
  v.object({ act: v.literal('wallet'), card: v.picklist(['', ...CARD_NUMBERS]) }),
  v.object({ act: v.picklist(['dispute', 'won', 'lost', 'settle']), id }),
]);

/** What the bank does with a charge, a dispute, a refund or a wallet. */
function playBank(bank: Bank): RequestHandler {
  return (request, response) => {
    const { success, output: asked } = v.safeParse(bankSchema, request.body);
    if (!success) {
      response.status(400).type('text').send('The bank cannot do that\n');
      return;
    }
    try {
      if (asked.act === 'decline') bank.declineNextCharge(asked.id, asked.code);
      else if (asked.act === 'wallet') bank.fillWallets(asked.card);
      else if (asked.act === 'dispute') bank.openDispute(asked.id);
      else if (asked.act === 'settle') bank.settleRefund(asked.id);
      else bank.closeDispute(asked.id, asked.act);
      response.redirect(303, '/');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      response.status(409).type('text').send(`${error.message}\n`);
    }
  };
}
