import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { TERMS_MARK } from '#server/payments/terms-mark.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import type { KnownAttack } from './ordinary-site.ts';
import { agree, type ConsentChanges, intentOf, newAddress, somebody, visit } from './visit.ts';

const CARD = { payment_method: 'pm_card_visa' };
const { terms, agreed } = edition;

/**
 * A consent is recorded only from the site's page and with the payment's secret, once, and never after the
 * payment.
 */
export const consentsOfOthers: KnownAttack = {
  name: 'consents of others',
  async run({ siteUrl, stripe }) {
    const register = async (): Promise<string> => (await visit(siteUrl, somebody())).secret;
    const [hers, thiefs] = [await register(), await register()];
    const id = intentOf(hers);
    const order = { amount: 100, currency: 'usd', metadata: { order: 'mug' } };
    const mug = await stripe.paymentIntents.create(order);
    const recorded = async () => (await stripe.paymentIntents.retrieve(id)).metadata[TERMS_MARK];

    for (const [what, forged, status] of [...forgeries(hers, thiefs, mug), ...otherSenders(hers)]) {
      const answer = await agree(siteUrl, hers, forged);
      assert.equal(answer.status, status, `${what} got ${answer.status} ${answer.code}`);
    }
    assert.equal(await recorded(), undefined, 'A consent was written');
    const { metadata } = await stripe.paymentIntents.retrieve(mug.id);
    assert.deepEqual(metadata, mug.metadata, 'The payment of another shop was changed');

    assert.equal((await agree(siteUrl, hers)).status, 204);
    const first = await recorded();
    assert.ok(first?.startsWith(`${terms.version} ${terms.digest} `), `Recorded was ${first}`);
    const answers = await Promise.all([agree(siteUrl, hers), agree(siteUrl, hers), agree(siteUrl, hers)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 204, 204],
    );
    assert.equal(await recorded(), first, 'Its time has changed');

    await stripe.paymentIntents.confirm(id, CARD);
    await stripe.paymentIntents.cancel(intentOf(thiefs));
    for (const { version, digest } of agreed) {
      const paid = await agree(siteUrl, hers, { body: { version, digest } });
      assert.equal(paid.code, 'already_paid', `Once paid: ${paid.status} ${paid.code}`);
      const over = await agree(siteUrl, thiefs, { body: { version, digest } });
      assert.equal(over.code, 'payment_canceled', `Once cancelled: ${over.status} ${over.code}`);
    }
    assert.equal(await recorded(), first, 'What she paid under has changed');
    return 'refused, nothing written; 204 for her own, which stays as it was once she has paid';
  },
};

type Forgery = readonly [what: string, forged: ConsentChanges, status: number];

/** Consents that she did not give: with a payment that is not hers, or to terms that do not exist. */
function forgeries(hers: string, thiefs: string, mug: Stripe.PaymentIntent): Forgery[] {
  const [, secretOfThief = ''] = thiefs.split('_secret_');
  const secrets = {
    'an invented secret': `pi_${hex(12)}_secret_${hex(12)}`,
    'a guessed secret': `${intentOf(hers)}_secret_${hex(12)}`,
    'a half of another secret': `${intentOf(hers)}_secret_${secretOfThief}`,
    "another shop's payment": mug.client_secret,
  };
  const texts = {
    'an unknown version': { version: '99' },
    'a version of every object': { version: '__proto__' },
    'an unknown text': { digest: hex(32) },
    'the text of another version': {
      digest: agreed.find(({ version }) => version !== terms.version)?.digest,
    },
  };
  return [
    ...Object.entries(secrets).map(
      ([what, secret]): Forgery => [what, { body: { paymentIntentClientSecret: secret } }, 409],
    ),
    ...Object.entries(texts).map(([what, body]): Forgery => [what, { body }, 409]),
    ['a secret in a list', { body: { paymentIntentClientSecret: [hers] } }, 400],
    ['a version that is a path', { body: { version: '../2' } }, 400],
    ['no text', { body: { digest: null } }, 400],
  ];
}

/** Requests with the right secret that do not come from the site's page. */
function otherSenders(hers: string): Forgery[] {
  const { version, digest } = terms;
  const form = new URLSearchParams({ paymentIntentClientSecret: hers, version, digest });
  const type = 'application/x-www-form-urlencoded';
  return [
    ['another site', { headers: { Origin: 'https://elsewhere.example' } }, 403],
    ["another site's script", { headers: { 'Sec-Fetch-Site': 'cross-site' } }, 403],
    ['a sandboxed frame', { headers: { Origin: 'null' } }, 403],
    ['a form', { text: String(form), headers: { 'Content-Type': type } }, 415],
    ['half a body', { text: JSON.stringify({ paymentIntentClientSecret: hers }).slice(0, -1) }, 400],
    ['nothing', { text: '' }, 400],
    ['a large body', { body: { more: 'x'.repeat(2_000) } }, 413],
  ];
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** How many consents one IP address may send in ten minutes. */
const MOST_CONSENTS = 50;
const FLOOD_SIZE = 60;
const OTHERS = 3;

/**
 * A flood from one IP address causes no more calls to Stripe than the limit allows, and everybody else's
 * consents are recorded meanwhile.
 */
export const floodOfConsents: KnownAttack = {
  name: 'a flood of consents',
  async run({ siteUrl, stripe }) {
    const from = newAddress();
    const secrets: string[] = [];
    while (secrets.length < OTHERS) secrets.push((await visit(siteUrl, somebody())).secret);
    const flood = Array.from({ length: FLOOD_SIZE }, (_, place) => {
      const paymentIntentClientSecret = place % 2 ? 'none' : `pi_${hex(12)}_secret_${hex(12)}`;
      return agree(siteUrl, '', { from, body: { paymentIntentClientSecret } });
    });
    for (const secret of secrets) {
      const { status } = await agree(siteUrl, secret);
      assert.equal(status, 204, `During a flood somebody else got ${status}`);
      const { metadata } = await stripe.paymentIntents.retrieve(intentOf(secret));
      assert.ok(metadata[TERMS_MARK], 'During a flood nothing was recorded');
    }
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    const processed = statuses.filter((status) => status === 400 || status === 409).length;
    const refused = statuses.filter((status) => status === 429).length;
    assert.equal(processed, MOST_CONSENTS, `A flood got ${statuses}`);
    assert.equal(refused, FLOOD_SIZE - MOST_CONSENTS, `A flood got ${statuses}`);
    const { status } = await visit(siteUrl, somebody(), { from });
    assert.equal(status, 200, `A registration from there got ${status}`);
    return `400 or 409 × ${processed}, 429 × ${refused}; 204 × ${OTHERS} for others`;
  },
};
