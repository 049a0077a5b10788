import * as v from 'valibot';
import { type Account, type CheckoutSession, newId } from './account.ts';
import { ParameterError, refusal } from './answer.ts';
import { confirmIntent, end, newIntent, report } from './intents.ts';
import {
  cardOnly,
  integer,
  mergeMetadata,
  nothing,
  operation,
  optionalEmail,
  optionalId,
  optionalMetadata,
  type Resource,
  webUrl,
} from './routes.ts';

const SHORTEST_S = 30 * 60;
const LONGEST_S = 24 * 60 * 60;

const newSession = v.strictObject({
  ...optionalMetadata,
  allowed_payment_method_types: v.array(cardOnly),
  cancel_url: v.exactOptional(webUrl),
  customer: optionalId,
  customer_email: optionalEmail,
  expires_at: v.exactOptional(integer),
  mode: v.literal('setup', 'Invalid mode: the sandbox stores cards only'),
  setup_intent_data: v.exactOptional(v.strictObject(optionalMetadata)),
  success_url: webUrl,
});

/** The page is hosted, and stores a card. https://docs.stripe.com/payments/save-and-reuse?payment-ui=checkout */
export function checkoutSessions(account: Account): Resource {
  return {
    path: 'checkout/sessions',
    filters: { customer: optionalId, status: v.exactOptional(v.picklist(['open', 'complete', 'expired'])) },
    create: operation(newSession, (given) => createSession(account, given)),
    retrieve: operation(nothing, (_none, { id }) => current(account, id)),
    actions: {
      expire: operation(nothing, (_none, { id }) => {
        const session = current(account, id);
        if (session.status === 'open') return expire(account, session);
        throw refusal(400, `Only Checkout Sessions with a status of open can be expired: ${id}.`);
      }),
    },
  };
}

function createSession(account: Account, given: v.InferOutput<typeof newSession>): CheckoutSession {
  const created = account.nowSeconds();
  const {
    customer,
    customer_email = null,
    expires_at = created + LONGEST_S,
    setup_intent_data: data,
  } = given;
  const customerId = customer === undefined ? null : account.find('customer', customer, 'customer').id;
  if (expires_at < created + SHORTEST_S || expires_at > created + LONGEST_S) {
    const message = 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.';
    throw new ParameterError(message, { param: 'expires_at' });
  }
  const fields = { object: 'setup_intent', last_setup_error: null, usage: 'off_session' } as const;
  const setup = {
    ...fields,
    ...newIntent(account, 'seti', { ...(customer !== undefined && { customer }), ...data }),
  };
  report(account, 'created', setup);
  const id = newId('cs_test');
  return account.save({
    id,
    object: 'checkout.session',
    cancel_url: given.cancel_url ?? null,
    created,
    customer: customerId,
    customer_email,
    expires_at,
    metadata: mergeMetadata({}, given.metadata),
    mode: given.mode,
    setup_intent: setup.id,
    status: 'open',
    success_url: given.success_url,
    url: `${account.url}/hosted/checkout/${id}`,
  });
}

/** A session as it is now: its time may be over. */
export function current(account: Account, id: string): CheckoutSession {
  const session = account.find('checkout.session', id);
  const isOver = session.status === 'open' && account.nowSeconds() >= session.expires_at;
  return isOver ? expire(account, session) : session;
}

function expire(account: Account, session: CheckoutSession): CheckoutSession {
  const setup = account.find('setup_intent', session.setup_intent);
  if (setup.status !== 'succeeded') end(account, setup, null);
  return close(account, session, 'expired');
}

function close(account: Account, session: CheckoutSession, status: 'complete' | 'expired'): CheckoutSession {
  const closed = account.save({ ...session, status, url: null });
  account.publish(`checkout.session.${status === 'complete' ? 'completed' : status}`, closed);
  return closed;
}

/** @returns where the browser goes next */
export function enterCard(account: Account, { id }: CheckoutSession, payment_method: string): string {
  const session = current(account, id);
  if (session.status !== 'open') throw refusal(400, `This Checkout Session is ${session.status}.`);
  const setup = account.find('setup_intent', session.setup_intent);
  const return_url = session.url ?? '';
  const { next_action } = confirmIntent(account, setup, { payment_method, return_url });
  if (next_action?.type === 'redirect_to_url') return next_action.redirect_to_url.url;
  return complete(account, session);
}

export function complete(account: Account, session: CheckoutSession): string {
  close(account, session, 'complete');
  return afterwards(session);
}

export function afterwards({ id, success_url }: CheckoutSession): string {
  return success_url.replaceAll('{CHECKOUT_SESSION_ID}', id);
}
