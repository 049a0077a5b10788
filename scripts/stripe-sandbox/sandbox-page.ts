import { createHash } from 'node:crypto';
import type { Account } from './account.ts';
import { TEST_CARDS } from './test-cards.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: start; border-bottom: 1px solid #8886; }
td:first-child { white-space: nowrap; }
`;

/** The page's Content-Security-Policy: nothing but its own style. */
export const SANDBOX_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** What the page offers to move the clock to, after a point of time; undefined when nothing is ahead. */
export type NextMoment = (now: Date) => { at: string; name: string } | undefined;

/** The sandbox's own page: what it is, its clock, which cards it takes, what it holds. */
export function renderSandboxPage(account: Account, now: Date, nextMoment: NextMoment): string {
  const cards = TEST_CARDS.map((card) => [groupDigits(card.number), `${card.meaning} (${card.brand})`]);
  const intents = [...account.paymentIntents.values()]
    .toReversed()
    .map((intent) => [
      intent.id,
      formatAmount(intent),
      intent.status,
      intent.customer ?? '',
      intent.last_payment_error?.code ?? '',
    ]);
  const charges = [...account.charges.values()]
    .toReversed()
    .map((charge) => [
      charge.id,
      formatAmount(charge),
      charge.status,
      charge.payment_intent,
      charge.failure_code ?? '',
    ]);
  const customers = [...account.customers.values()]
    .toReversed()
    .map((customer) => [customer.id, customer.name ?? '', customer.email ?? '']);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment sandbox</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Payment sandbox</h1>
<p>This process stands in for Stripe while the site is developed. No card is charged, nothing leaves this
machine, and all is forgotten when it stops.</p>
${clockForms(now, nextMoment(now))}
<h2>Test cards</h2>
<p>Any date in the future, any CVC. Every other number is declined.</p>
${table('Test cards', ['Number', 'What happens'], cards)}
<h2>Payment intents</h2>
${table('Payment intents', ['Id', 'Amount', 'Status', 'Customer', 'Last error'], intents)}
<h2>Charges</h2>
${table('Charges', ['Id', 'Amount', 'Status', 'Payment intent', 'Failure'], charges)}
<h2>Customers</h2>
${table('Customers', ['Id', 'Name', 'E-mail'], customers)}
</main>
</body>
</html>
`;
}

/** A date in the future costs nothing: what was due on the way there happens at once. */
function clockForms(now: Date, next: ReturnType<NextMoment>): string {
  const stand = now.toISOString();
  const button =
    next &&
    `<form method="post" action="/sandbox/clock"><p>
<button name="to" value="${escapeHtml(next.at)}">Go to the next moment: ${escapeHtml(next.name)}, ${escapeHtml(next.at)}</button>
</p></form>`;
  return `<h2>Clock</h2>
<p>It is <time datetime="${stand}">${stand.slice(0, 16).replace('T', ' ')} UTC</time> here, and on a site that runs with
CLOCK=sandbox. The clock goes on, and can be moved forward.</p>
${button ?? ''}
<form method="post" action="/sandbox/clock"><p>
<label>Another moment, UTC <input type="datetime-local" name="to" required min="${stand.slice(0, 16)}"></label>
<button>Go there</button>
</p></form>`;
}

function table(name: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>None yet.</p>';
  const head = headings.map((heading) => `<th scope="col">${escapeHtml(heading)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`);
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

function escapeHtml(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
