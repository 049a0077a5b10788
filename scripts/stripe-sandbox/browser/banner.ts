import { createElement, createShadowHost } from './element-factory.ts';

const CSS_TEXT = `
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
 * Says at the lower edge of the page that payments are not real.
 * It floats, lets clicks through, and lengthens the page by its own height, so that nothing is hidden below it.
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
  const host = createShadowHost(CSS_TEXT, banner);
  host.setAttribute('data-payment-sandbox', '');
  document.body.append(host);
  new ResizeObserver(() => {
    const height = `${Math.ceil(banner.getBoundingClientRect().height)}px`;
    host.style.setProperty('block-size', height);
    document.documentElement.style.setProperty('scroll-padding-bottom', height);
  }).observe(banner);
}
