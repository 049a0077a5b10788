import { createHash } from 'node:crypto';
import type { Express, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { Account, Kind, Kinds } from './account.ts';
import type { Bank } from './bank.ts';
import { CARD_WORDS, DECLINE_CODES } from './cards.ts';
import type { SandboxClock } from './clock.ts';
import { NEXT_STATUSES } from './disputes.ts';
import { laterStatus } from './refunds.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: start; border-bottom: 1px solid #8886; }
td:first-child { white-space: nowrap; }
button::first-letter { text-transform: uppercase; }
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
    sendPage(response, renderPage(account, bank, new Date(clock.now()), nextMoment)),
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
function renderPage(account: Account, bank: Bank, now: Date, nextMoment: NextMoment): string {
  return documentOf(
    'Payment sandbox',
    `<p>This process stands in for Stripe while the site is developed. No card is charged, nothing leaves this
machine, and all is forgotten when it stops.</p>
${clockForms(now, nextMoment(now))}
<h2>Test cards</h2>
<p>Any date in the future, any CVC. Every other number is declined.</p>
${table('Test cards', ['number', 'what happens'], CARD_WORDS)}
${accountTables(account, bank)}
${declineForm(account)}`,
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

/** What the page tells of each kind of object, besides its id; of an error it tells the code. */
const TOLD: readonly (readonly [kind: Kind, name: string, fields: string])[] = [
  ['payment_intent', 'Payment intents', 'amount status customer last_payment_error'],
  ['charge', 'Charges', 'amount status payment_intent failure_code'],
  ['refund', 'Refunds', 'amount status charge'],
  ['dispute', 'Disputes', 'amount reason status charge'],
  ['balance_transaction', 'Balance', 'amount fee net reporting_category source'],
  ['checkout.session', 'Checkout sessions', 'status customer setup_intent'],
  ['setup_intent', 'Setup intents', 'status customer last_setup_error'],
  ['customer', 'Customers', 'name email'],
];

/** All objects of the account, the newest first, with what the bank can still do with each. */
function accountTables(account: Account, bank: Bank): string {
  return TOLD.map(([kind, name, fields]) => {
    const names = ['id', ...fields.split(' ')];
    const rows = account.all(kind).map((one) => {
      const cells = names.map((field) => cellOf(Reflect.get(one, field)));
      return [...cells, ordered(account, one.id) + buttons(one.id, Object.keys(actsOf(account, bank, one)))];
    });
    return `<h2>${name}</h2>\n${rows.length === 0 ? '<p>None yet.</p>' : table(name, [...names, 'bank'], rows)}`;
  }).join('\n');
}

function cellOf(value: unknown): string {
  if (typeof value === 'number') return `${(value / 100).toFixed(2)} USD`;
  return escapeHtml(String((typeof value === 'object' ? value && Reflect.get(value, 'code') : value) ?? ''));
}

/** How the next charges of a customer will be answered. */
function ordered(account: Account, id: string): string {
  const answers = account.nextCharges.get(id) ?? [];
  return answers.map((next) => (next === 'processing' ? next : (next.decline_code ?? next.code))).join(', ');
}

type Acts = Readonly<Record<string, (declineCode: string) => unknown>>;

/** What the bank can still do with an object, by the words on the buttons. */
function actsOf(account: Account, bank: Bank, one: Kinds[Kind]): Acts {
  const { id } = one;
  switch (one.object) {
    case 'payment_intent':
      if (one.status !== 'processing') return {};
      return {
        'let it succeed': () => bank.settlePayment(id),
        'let it fail': (code) => bank.settlePayment(id, code),
      };
    case 'charge':
      if (one.status !== 'succeeded' || one.disputed) return {};
      return {
        dispute: () => bank.openDispute(id),
        'dispute half of it': () => bank.openDispute(id, { amount: Math.floor(one.amount / 2) }),
        inquiry: () => bank.openDispute(id, { status: 'warning_needs_response' }),
        'prevented dispute': () => bank.openDispute(id, { status: 'prevented' }),
      };
    case 'refund': {
      const settle = () => bank.settleRefund(id);
      if (one.status === 'pending') return { 'let it succeed': settle, cancel: () => bank.cancelRefund(id) };
      return laterStatus(account, one) ? { 'let it fail': settle } : {};
    }
    case 'dispute': {
      const moves = NEXT_STATUSES[one.status].map((status) => [status, () => bank.moveDispute(id, status)]);
      return Object.fromEntries(moves);
    }
    case 'customer':
      return {
        [DECLINE]: (code) =>
          code === 'processing' ? bank.delayNextCharge(id) : bank.declineNextCharge(id, code),
        delete: () => bank.deleteCustomer(id),
      };
    default:
      return {};
  }
}

const DECLINE = 'decline the next charge';

function declineForm(account: Account): string {
  const customers = account.all('customer').map(({ id, name }) => option(id, `${id} ${name ?? ''}`));
  if (customers.length === 0) return '';
  return `<form method="post" action="/sandbox/bank"><p>
<label>Decline or delay the next charge of <select name="id">${customers.join('')}</select></label>
<label>with <select name="code">${CODES.map((code) => option(code, code)).join('')}</select></label>
<button name="act" value="${DECLINE}">Set it</button>
</p></form>`;
}

function option(value: string, text: string): string {
  return `<option value="${escapeHtml(value)}">${escapeHtml(text)}</option>`;
}

function buttons(id: string, acts: readonly string[]): string {
  if (acts.length === 0) return '';
  const all = acts.map((act) => `<button name="act" value="${act}">${act.replaceAll('_', ' ')}</button>`);
  return `<form method="post" action="/sandbox/bank"><input type="hidden" name="id" value="${id}">${all.join(' ')}</form>`;
}

/** A table of finished HTML. */
function table(name: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${heading.replaceAll('_', ' ')}</th>`);
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table><thead><tr>${head.join('')}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`;
}

export function escapeHtml(value: string): string {
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

const CODES = [...new Set(['insufficient_funds', 'processing', ...DECLINE_CODES])];

const bankSchema = v.object({
  act: v.string(),
  id: v.string(),
  code: v.optional(v.picklist(CODES), 'generic_decline'),
});

/** Has the bank do what one of the page's buttons says. */
function playBank(account: Account, bank: Bank): RequestHandler {
  return (request, response) => {
    const { success, output: asked } = v.safeParse(bankSchema, request.body);
    const one = success ? account.named(asked.id) : undefined;
    const acts = one && !('deleted' in one) ? actsOf(account, bank, one) : {};
    const act = success && Object.hasOwn(acts, asked.act) ? acts[asked.act] : undefined;
    if (!success || !act) {
      response.status(409).type('text').send('The bank cannot do that\n');
      return;
    }
    act(asked.code);
    response.redirect(303, '/');
  };
}
