import type { Account } from './account.ts';
import { DECLINE_CODES } from './declines.ts';
import { laterStatus } from './refund.ts';
import { TEST_CARDS } from './test-cards.ts';

/** Finished HTML for the sandbox's page, which is not escaped again. */
type Html = { html: string };

type Cell = string | Html;

/** The card numbers that the sandbox accepts. */
export function cardTable(): string {
  const cards = TEST_CARDS.map((card) => [groupDigits(card.number), `${card.meaning} (${card.brand})`]);
  return table('Test cards', ['Number', 'What happens'], cards);
}

/** All objects of the account, the newest first, with what the bank can still do with each. */
export function accountTables(account: Account): string {
  const newest = <Held>(map: ReadonlyMap<string, Held>): Held[] => [...map.values()].toReversed();
  const customers = newest(account.customers).map(({ id, name, email }) => {
    const declines = account.nextDeclines.get(id) ?? [];
    const next = declines.map(({ code, declineCode }) => declineCode ?? code).join(', ');
    return [id, name ?? '', email ?? '', next];
  });
  const intents = newest(account.paymentIntents).map((intent) => {
    const error = intent.last_payment_error?.code ?? '';
    return [intent.id, formatAmount(intent), intent.status, intent.customer ?? '', error];
  });
  const charges = newest(account.charges).map((charge) => {
    const mayBeDisputed = charge.status === 'succeeded' && !charge.disputed;
    const act = mayBeDisputed ? bankButtons(charge.id, [['dispute', 'Dispute']]) : '';
    const { id, status, payment_intent, failure_code } = charge;
    return [id, formatAmount(charge), status, payment_intent, failure_code ?? '', act];
  });
  const refunds = newest(account.refunds).map((refund) => {
    const later = laterStatus(account, refund);
    const label = later === 'failed' ? 'Let it fail' : 'Let it succeed';
    const act = later ? bankButtons(refund.id, [['settle', label]]) : '';
    return [refund.id, formatAmount(refund), refund.status, refund.charge, act];
  });
  const disputes = newest(account.disputes).map((dispute) => {
    const { id, status, reason, charge } = dispute;
    const outcomes = [['won', 'Won'] as const, ['lost', 'Lost'] as const];
    const act = status === 'needs_response' ? bankButtons(id, outcomes) : '';
    return [id, formatAmount(dispute), reason, status, charge, act];
  });
  const setups = newest(account.setupIntents).map((setup) => {
    return [setup.id, setup.status, setup.customer ?? '', setup.last_setup_error?.code ?? ''];
  });
  return [
    section('Payment intents', ['Id', 'Amount', 'Status', 'Customer', 'Last error'], intents),
    section('Charges', ['Id', 'Amount', 'Status', 'Payment intent', 'Failure', 'Bank'], charges),
    section('Refunds', ['Id', 'Amount', 'Status', 'Charge', 'Bank'], refunds),
    section('Disputes', ['Id', 'Amount', 'Reason', 'Status', 'Charge', 'Bank'], disputes),
    section('Setup intents', ['Id', 'Status', 'Customer', 'Last error'], setups),
    section('Customers', ['Id', 'Name', 'E-mail', 'Next decline'], customers),
    declineForm(account),
  ].join('\n');
}

const USUAL_DECLINE = 'insufficient_funds';

/** A form that makes the bank decline the next charge of a customer. */
function declineForm(account: Account): string {
  if (account.customers.size === 0) return '';
  const ids = [...account.customers.values()].toReversed();
  const option = (value: string, text = value) =>
    `<option value="${escapeHtml(value)}">${escapeHtml(text)}</option>`;
  const customers = ids.map(({ id, name }) => option(id, `${id} ${name ?? ''}`)).join('');
  const codes = [USUAL_DECLINE, ...DECLINE_CODES.filter((code) => code !== USUAL_DECLINE)]
    .map((code) => option(code))
    .join('');
  return `<form method="post" action="/sandbox/bank"><p>
<label>Decline the next charge of <select name="id">${customers}</select></label>
<label>with <select name="code">${codes}</select></label>
<button name="act" value="decline">Decline it</button>
</p></form>`;
}

function bankButtons(id: string, acts: readonly (readonly [act: string, label: string])[]): Html {
  const buttons = acts.map(
    ([act, label]) => `<button name="act" value="${act}">${escapeHtml(label)}</button>`,
  );
  const hidden = `<input type="hidden" name="id" value="${escapeHtml(id)}">`;
  return { html: `<form method="post" action="/sandbox/bank">${hidden}${buttons.join(' ')}</form>` };
}

function section(name: string, headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return `<h2>${escapeHtml(name)}</h2>\n${table(name, headings, rows)}`;
}

function table(name: string, headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return '<p>None yet.</p>';
  const head = headings.map((heading) => `<th scope="col">${escapeHtml(heading)}</th>`).join('');
  const cell = (value: Cell) => `<td>${typeof value === 'string' ? escapeHtml(value) : value.html}</td>`;
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  return `<div class="scroll" role="region" aria-label="${escapeHtml(name)}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`;
}

function formatAmount({ amount, currency }: { amount: number; currency: string }): string {
  return `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
}

function groupDigits(number: string): string {
  const groups = number.length === 15 ? /^(\d{4})(\d{6})(\d{5})$/ : /^(\d{4})(\d{4})(\d{4})(\d{4})$/;
  return groups.exec(number)?.slice(1).join(' ') ?? number;
}

/** Text as HTML. */
export function escapeHtml(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
