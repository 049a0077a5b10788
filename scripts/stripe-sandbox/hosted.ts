import type { Express, Request, Response } from 'express';
import * as v from 'valibot';
import type { Account, Intent } from './account.ts';
import { ApiError, resourceMissing } from './answer.ts';
import { createPaymentMethod, NOBODY } from './cards.ts';
import { afterwards, complete, current, enterCard } from './checkout.ts';
import { answerChallenge } from './intents.ts';

export function addHostedPages(app: Express, account: Account): void {
  app.get('/hosted/checkout/:id', (request, response) => {
    const session = current(account, idIn(request));
    const setup = account.find('setup_intent', session.setup_intent);
    // She comes back from her bank.
    if (session.status === 'open' && setup.status === 'succeeded')
      return response.redirect(303, complete(account, session));
    showCheckout(account, request, response, setup.last_setup_error?.message);
  });
  app.post('/hosted/checkout/:id', (request, response) => {
    try {
      const { number, expiry, cvc, name, postal_code } = v.parse(typedCard, request.body);
      const session = current(account, idIn(request));
      const [exp_month, exp_year] = expiry;
      const address = { country: 'US', postal_code };
      const typed = { number: number.replaceAll(/\s/g, ''), exp_month, exp_year, cvc };
      const { id } = createPaymentMethod(account, typed, { ...NOBODY, name, address });
      response.redirect(303, enterCard(account, session, id));
    } catch (error) {
      if (!(error instanceof ApiError) && !v.isValiError(error)) throw error;
      const { setup_intent } = current(account, idIn(request));
      const declined = account.find('setup_intent', setup_intent).last_setup_error;
      // So that going back from a later page shows this one.
      if (declined?.message === error.message) response.redirect(303, request.path);
      else showCheckout(account, request, response, error.message);
    }
  });
  app.get('/hosted/bank/:id', (request, response) => {
    const { object } = asked(account, request, request.query);
    const what = object === 'payment_intent' ? 'pay' : 'store your card';
    show(
      response,
      'Your bank',
      `<p>A shop wants to ${what}. Is it you?</p>
<form method="post"><button name="outcome" value="authenticated">Complete authentication</button>
<button name="outcome" value="failed">Fail authentication</button></form>`,
    );
  });
  app.post('/hosted/bank/:id', (request, response) => {
    const intent = asked(account, request, request.query);
    const { outcome } = v.parse(v.object({ outcome: v.picklist(['authenticated', 'failed']) }), request.body);
    const { next_action: action } = intent;
    const back = action?.type === 'redirect_to_url' ? action.redirect_to_url.return_url : undefined;
    const url = back === undefined ? undefined : new URL(back);
    if (!url) return show(response.status(409), 'Your bank', '<p>There is nothing to confirm any more.</p>');
    answerChallenge(account, intent, outcome);
    // https://docs.stripe.com/payments/3d-secure/authentication-flow#manual-redirect
    url.searchParams.set(intent.object, intent.id);
    url.searchParams.set(`${intent.object}_client_secret`, intent.client_secret);
    response.redirect(303, url.href);
  });
}

const typedCard = v.object({
  number: v.string(),
  expiry: v.pipe(
    v.string(),
    v.regex(/^\d{2}\s*\/?\s*\d{2}$/, 'Your card’s expiration date is incomplete.'),
    v.transform((typed) => [Number(typed.slice(0, 2)), Number(typed.slice(-2))] as const),
  ),
  cvc: v.string(),
  name: v.string(),
  postal_code: v.string(),
});

const idIn = ({ params: { id } }: Request): string => String(id);

function asked(account: Account, request: Request, query: unknown): Intent {
  const id = idIn(request);
  const intent = account.get('payment_intent', id) ?? account.find('setup_intent', id);
  const { success, output } = v.safeParse(v.object({ client_secret: v.string() }), query);
  if (!success || output.client_secret !== intent.client_secret) throw resourceMissing('intent', id);
  return intent;
}

function showCheckout(account: Account, request: Request, response: Response, error?: string): void {
  const session = current(account, idIn(request));
  const back = session.cancel_url === null ? '' : link(session.cancel_url, 'Back');
  if (session.status === 'complete')
    show(response, 'You’re all done here', link(afterwards(session), 'Back to the shop'));
  else if (session.status === 'expired')
    show(response, 'This page has timed out', `<p>No card was stored.</p>${back}`);
  else show(response, 'Save your card', `${cardForm(error)}${back}`);
}

function cardForm(error: string | undefined): string {
  const fields = [
    ['number', 'Card number', 'inputmode="numeric" autocomplete="cc-number" required'],
    ['expiry', 'Expiration', 'placeholder="MM / YY" inputmode="numeric" autocomplete="cc-exp" required'],
    ['cvc', 'CVC', 'inputmode="numeric" autocomplete="cc-csc" required'],
    ['name', 'Cardholder name', 'autocomplete="cc-name" required'],
    ['postal_code', 'ZIP', 'autocomplete="postal-code"'],
  ];
  const inputs = fields.map(
    ([name, label, more]) => `<label>${label} <input name="${name}" ${more}></label>`,
  );
  return `<p>This page stands in for Stripe’s. Only test cards work here, such as 4242 4242 4242 4242.</p>
${error === undefined ? '' : `<p role="alert">${escapeHtml(error)}</p>`}
<form method="post">${inputs.join('\n')}<button>Save card</button></form>`;
}

const escapeHtml = (value: string) =>
  value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const link = (url: string, text: string) => `<p><a href="${escapeHtml(url)}">${text}</a></p>`;

function show(response: Response, title: string, content: string): void {
  response.set({ 'Cache-Control': 'no-store' }).type('html');
  response.send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title></head><body><main>
<h1>${title}</h1>
${content}
</main></body></html>
`);
}
