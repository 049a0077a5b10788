import assert from 'node:assert/strict';
import { payWith, result, test } from './browser-test-page.ts';
import { SANDBOX_KEYS } from './sandbox.ts';

/** Mounts the React elements twice, as StrictMode does, and changes their options once. */
const PAGE_SCRIPT = `
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { loadStripe } from '@stripe/stripe-js/pure';
import { CardCvcElement, CardExpiryElement, CardNumberElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';

const stripePromise = loadStripe('${SANDBOX_KEYS.publishableKey}', { locale: 'auto' });

function Form() {
  const stripe = useStripe();
  const elements = useElements();
  const [text, setText] = useState('');
  const [complete, setComplete] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const secret = new URLSearchParams(location.search).get('secret');
    const paid = await stripe.confirmCardPayment(secret, { payment_method: { card: elements.getElement(CardNumberElement) } });
    setText(paid.error ? paid.error.type + ': ' + paid.error.message : paid.paymentIntent.status);
  };
  const ready = (name) => (element) => { document.getElementById(name).dataset.ready = String(typeof element.focus); };
  const options = { style: { base: { color: complete ? '#006622' : '#123456' } } };
  return (
    <form onSubmit={submit}>
      <CardNumberElement id="number" options={options} onReady={ready('number')} onChange={(event) => setComplete(event.complete)} />
      <CardExpiryElement id="expiry" onReady={ready('expiry')} />
      <CardCvcElement id="cvc" onReady={ready('cvc')} />
      <button>Pay</button>
      <output id="result">{text}</output>
    </form>
  );
}

createRoot(document.querySelector('main')).render(
  <StrictMode><Elements stripe={stripePromise}><Form /></Elements></StrictMode>,
);
`;

test.use({ script: PAGE_SCRIPT });

test('R4.3 @stripe/react-stripe-js mounts the fields and pays with them', async ({ shop }) => {
  const { page, stripe, intent, problems } = shop;
  await page.locator('#number[data-ready=function]').waitFor();
  assert.equal(await page.locator('#number input').count(), 1);
  await payWith(page, '5555555555554444');
  const number = page.locator('#number input');
  assert.equal(await number.evaluate((input) => getComputedStyle(input).color), 'rgb(0, 102, 34)');
  await result(page, 'succeeded');
  assert.equal((await stripe.paymentIntents.retrieve(intent.id)).status, 'succeeded');
  assert.deepEqual(problems, []);
});
