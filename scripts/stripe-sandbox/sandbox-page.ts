import { createHash } from 'node:crypto';
import type { Account } from './account.ts';
import { accountTables, cardTable, escapeHtml } from './page-tables.ts';

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

/** The next moment after `now` to which the page offers to move the clock; undefined when there is none. */
export type NextMoment = (now: Date) => { at: string; name: string } | undefined;

/** The sandbox's own page: what it is, its clock, the cards that it accepts, the objects that it contains. */
export function renderSandboxPage(account: Account, now: Date, nextMoment: NextMoment): string {
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
${cardTable()}
${accountTables(account)}
</main>
</body>
</html>
`;
}

/** Moving the clock far ahead skips nothing: everything that was due on the way happens at once. */
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
