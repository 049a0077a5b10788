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
  const { host, root } = createShadowHost(
    BANNER_STYLE,
    `<aside aria-label="Payment sandbox">Payment sandbox: no card is charged. Use a
<a target="_blank" rel="noopener">test number</a> such as 4242 4242 4242 4242, any future date, any CVC.</aside>`,
  );
  const banner = root.querySelector('aside');
  if (!banner) return;
  root.querySelector('a')?.setAttribute('href', sandboxUrl);
  host.setAttribute('data-payment-sandbox', '');
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
  const { host, root } = createShadowHost(
    DIALOG_STYLE,
    `<dialog aria-labelledby="title" aria-describedby="text">
<p class="label">Payment sandbox</p>
<h2 id="title">3-D Secure test challenge</h2>
<p id="text">Here the cardholder's bank would ask to approve <span></span>. Choose how it answers.</p>
<div><button class="primary" value="authenticated">Complete authentication</button>
<button value="failed">Fail authentication</button></div></dialog>`,
  );
  const dialog = root.querySelector('dialog');
  root.querySelector('span')?.append(request);
  return new Promise((resolve) => {
    for (const button of root.querySelectorAll('button')) {
      button.addEventListener('click', () => dialog?.close(button.value));
    }
    dialog?.addEventListener('close', () => {
      host.remove();
      resolve(dialog.returnValue === 'authenticated' ? 'authenticated' : 'failed');
    });
    dialog?.showModal();
  });
}

/** A host element with fixed markup and its style in a shadow root, untouched by the page's own style. */
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
