const BANNER_STYLE = `
:host { display: block; position: sticky; bottom: 0; z-index: 2147483647; pointer-events: none; }
aside { padding: 4px 12px; background: #ffe9b8; color: #3d2a00; font: 12px/1.35 system-ui, sans-serif; }
@media print { aside { display: none; } }
`;

/** Says at the lower edge of the page that payments are not real; it lets clicks through. */
export function showBanner(): void {
  if (document.querySelector('[data-payment-sandbox]')) return;
  const { host } = createShadowHost(
    BANNER_STYLE,
    `<aside aria-label="Payment sandbox">Payment sandbox: no card is charged. Use a test number such as
4242 4242 4242 4242, any future date, any CVC.</aside>`,
  );
  host.setAttribute('data-payment-sandbox', '');
  document.documentElement.style.setProperty('scroll-padding-bottom', '3rem');
}

const DIALOG_STYLE = `
dialog {
  width: min(24rem, calc(100vw - 4rem));
  font: 16px/1.5 system-ui, sans-serif;
}
dialog::backdrop { background: #0009; }
button { width: 100%; min-height: 44px; margin-top: 0.75rem; font: inherit; }
`;

/** Closing the dialog any other way than by its buttons counts as a failure. */
export async function askForAuthentication(request: string): Promise<'authenticated' | 'failed'> {
  const answer = await ask(
    '3-D Secure test challenge',
    `Payment sandbox: here the cardholder's bank would ask to approve ${request}. Choose how it answers.`,
    { authenticated: 'Complete authentication', failed: 'Fail authentication' },
  );
  return answer === 'authenticated' ? answer : 'failed';
}

/** @returns what closes the sheet once she has paid; undefined when she closed it instead */
export async function openWalletSheet(cents: number, number: string): Promise<(() => void) | undefined> {
  const words = `Payment sandbox: here the wallet would ask to pay ${priceOf(cents)} with the card ending in ${number.slice(-4)}.`;
  const title = 'Test wallet';
  const answer = await ask(title, words, { pay: `Pay ${priceOf(cents)}`, cancel: 'Cancel' });
  if (answer !== 'pay') return undefined;
  const { dialog, host } = openDialog(title, 'Payment sandbox: here the wallet would wait for the payment.');
  return () => {
    dialog?.close();
    host.remove();
  };
}

export const priceOf = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** The value of the button that was pressed in a dialog; '' if it was closed in another way. */
function ask(title: string, words: string, buttons: Readonly<Record<string, string>>): Promise<string> {
  const { dialog, host } = openDialog(title, words, buttons);
  return new Promise((resolve) => {
    dialog?.addEventListener('close', () => {
      host.remove();
      resolve(dialog.returnValue);
    });
  });
}

function openDialog(title: string, words: string, buttons: Readonly<Record<string, string>> = {}) {
  const { host, root } = createShadowHost(
    DIALOG_STYLE,
    `<dialog aria-labelledby="title"><h2 id="title"></h2><p></p></dialog>`,
  );
  const dialog = root.querySelector('dialog');
  root.querySelector('h2')?.append(title);
  root.querySelector('p')?.append(words);
  for (const [value, label] of Object.entries(buttons)) {
    const button = document.createElement('button');
    button.append(label);
    button.addEventListener('click', () => dialog?.close(value));
    dialog?.append(button);
  }
  dialog?.showModal();
  return { dialog, host };
}

function createShadowHost(css: string, html: string): { host: HTMLElement; root: ShadowRoot } {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.innerHTML = html;
  document.body.append(host);
  return { host, root };
}
