import type { PaymentIntent } from './api-client.ts';
import { createElement, createShadowHost } from './element-factory.ts';

const CSS_TEXT = `
dialog {
  box-sizing: border-box;
  width: min(26rem, calc(100vw - 2rem));
  padding: 1.5rem;
  border: 0;
  border-radius: 12px;
  background: #fff;
  color: #1a1a2b;
  font: 16px/1.5 system-ui, sans-serif;
  box-shadow: 0 12px 48px #0006;
}
dialog::backdrop { background: #0009; }
.label { margin: 0; font-size: 0.8125rem; font-weight: 600; color: #7a4100; }
h2 { margin: 0.25rem 0 0.75rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0 0 1.25rem; }
div { display: grid; gap: 0.75rem; }
button {
  min-height: 44px;
  padding: 0.5rem 1rem;
  border: 1px solid #4b45c6;
  border-radius: 8px;
  background: #fff;
  color: #3b35b5;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button.primary { background: #4b45c6; color: #fff; }
button:focus-visible { outline: 3px solid #1a1a2b; outline-offset: 2px; }
`;

/**
 * Asks the visitor to play the bank's part in 3-D Secure.
 * Closing the dialog any other way than by its buttons counts as a failure.
 */
export function askForAuthentication(intent: PaymentIntent): Promise<'authenticated' | 'failed'> {
  const amount = new Intl.NumberFormat('en-US', { style: 'currency', currency: intent.currency });
  const complete = createElement('button', { type: 'button', class: 'primary' }, 'Complete authentication');
  const fail = createElement('button', { type: 'button' }, 'Fail authentication');
  const dialog = createElement(
    'dialog',
    { 'aria-labelledby': 'title', 'aria-describedby': 'text' },
    createElement('p', { class: 'label' }, 'Payment sandbox'),
    createElement('h2', { id: 'title' }, '3-D Secure test challenge'),
    createElement(
      'p',
      { id: 'text' },
      `Here the cardholder's bank would ask to approve the payment of ${amount.format(intent.amount / 100)}. Choose how it answers.`,
    ),
    createElement('div', {}, complete, fail),
  );
  const host = createShadowHost(CSS_TEXT, dialog);
  document.body.append(host);
  return new Promise((resolve) => {
    complete.addEventListener('click', () => dialog.close('authenticated'));
    fail.addEventListener('click', () => dialog.close('failed'));
    dialog.addEventListener('close', () => {
      host.remove();
      resolve(dialog.returnValue === 'authenticated' ? 'authenticated' : 'failed');
    });
    dialog.showModal();
  });
}
