const BANNER_STYLE = `
aside {
  position: fixed;
  inset: auto 0 0;
  z-index: 2147483647;
  padding: 4px 12px calc(4px + env(safe-area-inset-bottom, 0px));
  background: #ffe9b8;
  color: #3d2a00;
  font: 12px/1.35 system-ui, sans-serif;
  text-align: center;
  pointer-events: none;
}
a { color: #0b3fa8; pointer-events: auto; }
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
  width: min(24rem, calc(100vw - 4rem));
  border: 0;
  background: #fff;
  color: #1a1a2b;
  font: 16px/1.5 system-ui, sans-serif;
}
dialog::backdrop { background: #0009; }
button { width: 100%; min-height: 44px; margin-top: 0.75rem; font: inherit; }
`;

/**
 * Asks the visitor to play the bank's part in 3-D Secure: whether `request` is approved.
 * Closing the dialog any other way than by its buttons counts as a failure.
 */
export function askForAuthentication(request: string): Promise<'authenticated' | 'failed'> {
  const { host, root } = createShadowHost(
    DIALOG_STYLE,
    `<dialog aria-labelledby="title"><h2 id="title">3-D Secure test challenge</h2>
<p>Payment sandbox: here the cardholder's bank would ask to approve <span></span>. Choose how it answers.</p>
<button value="authenticated">Complete authentication</button><button value="failed">Fail authentication</button></dialog>`,
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
