import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import type { TestScope } from './clean-up.ts';
import { type TestSite as Site, type SiteOptions, startTestSite } from './test-site.ts';
import { submitContact } from './test-visitor.ts';

/** Gives the edition on sale a number of places for one test. */
export function limitPlaces(t: TestScope, places: number): void {
  facts.places = places;
  t.after(() => delete facts.places);
}

/** A site with a number of places. */
export async function startSiteWithPlaces(t: TestScope, places: number, options: SiteOptions = {}) {
  limitPlaces(t, places);
  const env = { RATE_LIMIT_PER_ADDRESS: '1000', RATE_LIMIT_OVERALL: '10000' };
  const site = await startTestSite(t, { env, ...options });
  return { ...site, visit: (name: string) => visit(site, name) };
}

/** A visitor's browser with her own registration. */
function visit({ app, stripe, tell }: Site, name: string) {
  const key = randomBytes(16).toString('hex');
  let clientSecret = '';
  const id = () => clientSecret.split('_secret_')[0] ?? '';
  return {
    id,
    /** Sends the contact step, each time with the same key. */
    async submit(changes: object = {}) {
      const contact = { email: `${name}@visitors.example`, firstName: name, ...changes };
      const answer = await submitContact(app, contact, key);
      if (answer.status === 200) clientSecret = String(answer.body.paymentIntentClientSecret);
      return answer;
    },
    /** Sends the contact step as an edit of her payment. */
    edit: (changes: object = {}) =>
      submitContact(app, {
        email: `${name}@visitors.example`,
        firstName: name,
        ...changes,
        paymentIntentClientSecret: clientSecret,
      }),
    consent() {
      const { version, digest } = edition.terms;
      return request(app)
        .post(RECORD_CONSENT_PATH)
        .send({ paymentIntentClientSecret: clientSecret, version, digest });
    },
    pay: () => stripe.paymentIntents.confirm(id(), { payment_method: 'pm_card_visa' }),
    /** Sends the site the event that she has paid. */
    tell: () => tellOf({ tell, stripe }, id(), 'payment_intent.succeeded'),
  };
}

/** Sends the site a Stripe event about a payment. */
export async function tellOf({ tell, stripe }: Pick<Site, 'tell' | 'stripe'>, id: string, type: string) {
  return tell(type, await stripe.paymentIntents.retrieve(id), { id: `evt_${id}` });
}
