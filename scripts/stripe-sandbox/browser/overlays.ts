const BANNER_STYLE = `
aside {
  position: fixed;
  inset: auto 0 0;
  z-index: 2147483647;
  box-sizing: border-box;
  padding: 4px 12px calc(4px + env(safe-area-inset-bottom, 0px));
  background: #ffe9b8;
  color: #3d2a00;
  border-top: 1px solid #b98a1d;
  font: 12px/1.35 system-ui, sans-serif;
  text-align: center;
  pointer-events: none;
}
a { color: #0b3fa8; font-weight: 600; pointer-events: auto; }
a:focus-visible { outline: 2px solid #3d2a00; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  aside { background: #3a2c0b; color: #ffe9b8; border-top-color: #8a6a1c; }
  a { color: #b9d0ff; }
}
@media print { aside { display: none; } }
`;

/**
 * Shows a banner at the lower edge of the page which says that payments are not real.
 * The banner floats, lets clicks through, and lengthens the page by its own height, so that it hides nothing.
 */
export function showBanner(sandboxUrl: string): void {
  if (document.querySelector('[data-payment-sandbox]')) return;
  const link = createElement('a', { href: sandboxUrl, target: '_blank', rel: 'noopener' }, 'test number');
  const banner = createElement(
    'aside',
    { 'aria-label': 'Payment sandbox' },
    'Payment sandbox: no card is charged. Use a ',
    link,
    ' such as 4242 4242 4242 4242, any future date, any CVC.',
  );
  const host = createShadowHost(BANNER_STYLE, banner);
  host.setAttribute('data-payment-sandbox', '');
  document.body.append(host);
  new ResizeObserver(() => {
    const height = `${Math.ceil(banner.getBoundingClientRect().height)}px`;
    host.style.setProperty('block-size', height);
    document.documentElement.style.setProperty('scroll-padding-bottom', height);
  }).observe(banner);
}

const DIALOG_STYLE = `
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
 * Asks the visitor to play the bank's part in 3-D Secure: whether `request` is approved.
 * Closing the dialog any other way than by its buttons counts as a failure.
 */
export function askForAuthentication(request: string): Promise<'authenticated' | 'failed'> {
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
      `Here the cardholder's bank would ask to approve ${request}. Choose how it answers.`,
    ),
    createElement('div', {}, complete, fail),
  );
  const host = createShadowHost(DIALOG_STYLE, dialog);
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

/** An element with a class and children: text as text nodes, never as markup. */
function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A host element with its content and style in a shadow root, untouched by the page's own style. */
function createShadowHost(css: string, ...children: Node[]): HTMLDivElement {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.append(...children);
  return host;
}
