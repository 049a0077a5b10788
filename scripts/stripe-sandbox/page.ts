import { createHash } from 'node:crypto';
import type { Express, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { Account, Kind, Kinds } from './account.ts';
import { ApiError } from './answer.ts';
import type { Bank } from './bank.ts';
import { CARD_WORDS, DECLINE_CODES } from './cards.ts';
import type { SandboxClock } from './clock.ts';
import { NEXT_STATUSES, REACHED_STATUSES } from './disputes.ts';
import { laterStatus } from './refunds.ts';

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

/** Serves the sandbox's own page with what its buttons do, and the clock that sites follow. */
export function addOwnPage(app: Express, { account, bank, clock, nextMoment }: PageOptions): void {
  const sendPage = (response: Response, html: string) => {
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': POLICY });
    response.type('html').send(html);
  };
  app.get('/', (_request, response) =>
    sendPage(response, renderPage(account, new Date(clock.now()), nextMoment)),
  );
  app.get('/sandbox/clock', (_request, response) => clock.follow(response));
  app.post('/sandbox/clock', onlyFromOwnPage, moveClock(clock));
  app.post('/sandbox/bank', onlyFromOwnPage, playBank(account, bank));
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
${accountTables(account)}
${declineForm(account)}
${switches(account)}`,
  );
}

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
    section('Payment intents', 'Id,Amount,Status,Customer,Last error,Bank', 'payment_intent', (one) => {
      const { id, status, customer, last_payment_error: error } = one;
      const isOpen = status === 'requires_payment_method' || status === 'requires_action';
      const acts = status === 'processing' ? ANSWERS : isOpen ? LAST_ATTEMPT : {};
      return [price(one), status, customer, error?.code, bankButtons(id, acts)];
    }),
    section('Charges', 'Id,Amount,Status,Payment intent,Failure,Bank', 'charge', (one) => {
      const mayBeDisputed = one.status === 'succeeded' && !one.disputed;
      const act = mayBeDisputed ? bankButtons(one.id, DISPUTES) : null;
      return [price(one), one.status, one.payment_intent, one.failure_code, act];
    }),
    section('Refunds', 'Id,Amount,Status,Charge,Bank', 'refund', (one) => {
      const later = laterStatus(account, one);
      const settle = later === 'failed' ? 'Let it fail' : 'Let it succeed';
      const acts = { settle, ...(one.status === 'pending' && { cancel: 'Cancel' }) };
      return [price(one), one.status, one.charge, later && bankButtons(one.id, acts)];
    }),
    section('Disputes', 'Id,Amount,Reason,Status,Charge,Bank', 'dispute', (one) => {
      const acts = NEXT_STATUSES[one.status].map((status) => [status, status.replaceAll('_', ' ')]);
      return [price(one), one.reason, one.status, one.charge, bankButtons(one.id, Object.fromEntries(acts))];
    }),
    section('Balance', 'Id,Amount,Fee,Net,What,Of', 'balance_transaction', (one) => {
      const [fee, net] = [one.fee, one.net].map((amount) => price({ ...one, amount }));
      return [price(one), fee, net, one.reporting_category, one.source];
    }),
    section('Setup intents', 'Id,Status,Customer,Last error', 'setup_intent', (one) => {
      return [one.status, one.customer, one.last_setup_error?.code];
    }),
    section('Customers', 'Id,Name,E-mail,Next charge,By hand', 'customer', ({ id, name, email }) => {
      const answers = account.nextCharges.get(id) ?? [];
      const words = answers.map((next) => (next === 'processing' ? next : (next.decline_code ?? next.code)));
      return [name, email, words.join(', '), bankButtons(id, { delete: 'Delete' })];
    }),
  ].join('\n');
}

const ANSWERS = { pay: 'Let it succeed', refuse: 'Let it fail' };
const LAST_ATTEMPT = { 'last-attempt': 'Cancel it when it fails again' };
const DISPUTES = {
  dispute: 'Dispute',
  half: 'Dispute half of it',
  inquiry: 'Inquiry',
  prevented: 'Prevented dispute',
};

/** What concerns no single object. */
function switches({ lacksFunds, delaysBalance }: Account): string {
  const buttons = bankButtons('', {
    [lacksFunds ? 'funds' : 'no-funds']: lacksFunds ? 'Let refunds succeed' : 'Let refunds wait for funds',
    [delaysBalance ? 'balance' : 'no-balance']: `${delaysBalance ? 'Make' : 'Delay'} balance transactions`,
    'rate-limit': 'Answer the next request with 429, rate limit',
    'lock-timeout': 'Answer the next request with 429, lock timeout',
  });
  return buttons?.html ?? '';
}

function declineForm(account: Account): string {
  const customers = account.all('customer').map(({ id, name }) => option(id, `${id} ${name ?? ''}`));
  if (customers.length === 0) return '';
  const codes = [...new Set(['insufficient_funds', 'processing', ...DECLINE_CODES])];
  return `<form method="post" action="/sandbox/bank"><p>
<label>Decline or delay the next charge of <select name="id">${customers.join('')}</select></label>
<label>with <select name="code">${codes.map((code) => option(code, code)).join('')}</select></label>
<button name="act" value="decline">Set it</button>
</p></form>`;
}

function option(value: string, text: string): string {
  return `<option value="${escapeHtml(value)}">${escapeHtml(text)}</option>`;
}

function bankButtons(id: string, acts: Readonly<Record<string, string>>): Html | null {
  const buttons = Object.entries(acts).map(
    ([act, label]) => `<button name="act" value="${act}">${escapeHtml(label)}</button>`,
  );
  if (buttons.length === 0) return null;
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

const bankSchema = v.object({
  act: v.string(),
  id: v.optional(v.string(), ''),
  code: v.optional(v.picklist(['processing', ...DECLINE_CODES]), 'generic_decline'),
});

type Act = (id: string, code: string) => void;

/** What the page's buttons do with the object of an id. */
function actsOf(account: Account, bank: Bank): ReadonlyMap<string, Act> {
  const amountOf = (id: string) => account.find('charge', id).amount;
  return new Map<string, Act>([
    [
      'decline',
      (id, code) => (code === 'processing' ? bank.delayNextCharge(id) : bank.declineNextCharge(id, code)),
    ],
    ['pay', (id) => bank.settlePayment(id)],
    ['refuse', (id, code) => bank.settlePayment(id, code)],
    ['last-attempt', bank.endAttempts],
    ['half', (id) => void bank.openDispute(id, { amount: Math.floor(amountOf(id) / 2) })],
    ['dispute', (id) => void bank.openDispute(id)],
    ['inquiry', (id) => void bank.openDispute(id, { status: 'warning_needs_response' })],
    ['prevented', (id) => void bank.openDispute(id, { status: 'prevented' })],
    ...[...REACHED_STATUSES].map((status): [string, Act] => [status, (id) => bank.moveDispute(id, status)]),
    ['settle', bank.settleRefund],
    ['cancel', bank.cancelRefund],
    ['delete', bank.deleteCustomer],
    ['no-funds', () => bank.lackFunds(true)],
    ['funds', () => bank.lackFunds(false)],
    ['no-balance', () => bank.delayBalance(true)],
    ['balance', () => bank.delayBalance(false)],
    ['rate-limit', () => bank.failNextRequest({ kind: 'rate-limit' })],
    ['lock-timeout', () => bank.failNextRequest({ kind: 'lock-timeout' })],
  ]);
}

/** What the bank does with a charge, a payment, a dispute or a refund. */
function playBank(account: Account, bank: Bank): RequestHandler {
  const acts = actsOf(account, bank);
  return (request, response) => {
    const { success, output: asked } = v.safeParse(bankSchema, request.body);
    const act = success ? acts.get(asked.act) : undefined;
    if (!success || !act) {
      response.status(400).type('text').send('The bank cannot do that\n');
      return;
    }
    try {
      act(asked.id, asked.code);
      response.redirect(303, '/');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      response.status(409).type('text').send(`${error.message}\n`);
    }
  };
}
