import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { until } from '#scripts/product/child.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { type Engine, startFirefox, startWebKit } from './run/engines.ts';
import { linkIn, outcomeOf } from './run/outcome.ts';
import { startProduct } from './run/product.ts';
import { PROOF } from './steps/own-page.ts';
import { billingAddress, testCards, visitor } from './steps/registration.ts';

/** Firefox's windows are wider: 500 px at least. */
const PHONE = { width: 390, height: 844 };
/** The key of a reference to an element. https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const elementSchema = v.object({ [ELEMENT]: v.string() });

/** The first visible element that a selector selects and that has a text. Options have no boxes of their own. */
const FIND = `const [selector, words] = arguments;
return [...document.querySelectorAll(selector)].find((element) =>
  element.textContent.trim().startsWith(words) && (element.localName === 'option' || element.checkVisibility()));`;
const FOCUSED = `let element = document.activeElement;
while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
return element;`;
const TEXT = { script: 'return document.body.innerText', args: [] };

/** Somebody who reads a page and presses what it shows. */
function visit({ send }: Engine) {
  const element = async (script: string, ...args: string[]) =>
    v.parse(elementSchema, await send('execute', { script, args }))[ELEMENT];
  const press = (selector: string, words: string) =>
    until(`${selector} "${words}" can be pressed`, async () => {
      await send('click', { id: await element(FIND, selector, words) });
      return true;
    });
  return {
    press,
    /** Types into the field with a label. */
    async type(label: string, text: string) {
      await press('label', label);
      await send('type', { id: await element(FOCUSED), text });
    },
    reads: (words: string) =>
      until(`"${words}" is shown`, async () => String(await send('execute', TEXT)).includes(words)),
  };
}

describe('in browsers with other engines', { skip: process.platform !== 'linux' }, () => {
  let product: Awaited<ReturnType<typeof startProduct>>;
  before(async () => {
    product = await startProduct('start');
  });
  after(() => product.end());

  for (const [name, start] of Object.entries({ Firefox: startFirefox, WebKitGTK: startWebKit }))
    test(`R2.2 R5.1 ${name}: from the landing page to the completion view and her page, where she gives another card and pays`, async (t) => {
      const engine = await start(t);
      try {
        await register(engine, `${name.toLowerCase()}@example.org`);
      } catch (error) {
        const png = await engine.send('screenshot').catch(() => '');
        await writeFile(`.data/${name}.png`, String(png), 'base64');
        throw error;
      }
      assert.deepEqual(engine.findings, []);
    });

  async function register(engine: Engine, email: string): Promise<void> {
    const { press, type, reads } = visit(engine);
    const { contact, payment, completion, charged } = registrationCopy;
    await engine.send('resize', PHONE);
    await engine.send('navigate', { url: product.siteUrl });
    await press('a', 'Reserve your spot now');
    await press('#register-stepper button', 'Reserve your spot now');
    await type(contact.firstName, visitor.firstName);
    await type(contact.lastName, visitor.lastName);
    await type(contact.email, email);
    await type(contact.phoneNumber, visitor.phoneNumber);
    await press('button', 'Next');
    await type(payment.cardNumber, testCards.succeeds);
    await type(payment.cardExpiry, `12${(new Date().getUTCFullYear() + 10) % 100}`);
    await type(payment.cardCvc, '123');
    await press('option', 'United States');
    await type(payment.addressLine1, billingAddress.line1);
    await type(payment.addressCity, billingAddress.city);
    await type(payment.addressState.state, billingAddress.state);
    await type(payment.addressPostalCode, billingAddress.postal_code);
    await press('label', payment.termsAgreement);
    await press('button', 'Finish');
    await reads(completion);
    await reads(charged('$721'));
    await press('button', 'Open your page');
    await reads(`Your place, ${visitor.firstName}`);
    const site = outcomeOf(product);
    await site.untilSent('welcome', email);
    await engine.send('navigate', { url: linkIn(await site.mailsTo(email), '/place/') });
    await reads(`Your place, ${visitor.firstName}`);
    await press('a', 'Change the card');
    await type(PROOF, billingAddress.postal_code);
    await press('button', 'Enter the card at Stripe');
    await reads('Save your card');
    await type('Card number', testCards.authenticates);
    await type('Expiration', `12${(new Date().getUTCFullYear() + 10) % 100}`);
    await type('CVC', '123');
    await type('Cardholder name', visitor.firstName);
    await press('button', 'Save card');
    await press('button', 'Complete authentication');
    await reads('Your new card is stored');
    await press('a', 'Pay $726.25 now');
    await type(PROOF, billingAddress.postal_code);
    await press('button', 'Pay $726.25');
    await press('button', 'Complete authentication');
    await reads('Your payment has arrived');
    assert.deepEqual(await site.chargesOf(email), [72_100, 72_625]);
  }
});
