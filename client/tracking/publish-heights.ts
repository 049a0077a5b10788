/** The bars at the bottom of the screen, and the CSS custom property that holds each one's height. */
const COVERS = [
  ['.phone-bar', '--phone-bar-height'],
  ['.consent-bar', '--consent-bar-height'],
] as const;

/**
 * Publishes the heights of the bars at the bottom of the screen as CSS custom properties, also when the
 * consent bar is removed and shown again, whether that is there, and whether the phone bar is in view.
 */
export function publishHeights(): void {
  // Also measured at once: otherwise the consent bar would visibly move.
  measure();
  followPhoneBar();
  const sizes = new ResizeObserver(measure);
  const observe = (): void => {
    for (const [selector] of COVERS) {
      const cover = document.querySelector(selector);
      if (cover) sizes.observe(cover);
    }
  };
  observe();
  const bars = document.querySelector('.consent');
  if (bars) new MutationObserver(observe).observe(bars, { childList: true });
}

function measure(): void {
  const page = document.documentElement;
  page.toggleAttribute('data-consent-bar', document.querySelector('.consent-bar') !== null);
  for (const [selector, property] of COVERS) {
    const height = document.querySelector(selector)?.getBoundingClientRect().height ?? 0;
    page.style.setProperty(property, `${height}px`);
  }
}

/**
 * Sets `--phone-bar-shown` to 1 while the phone bar is in view, to 0 above and below its part of the page.
 */
function followPhoneBar(): void {
  const bar = document.querySelector('.phone-bar');
  if (!bar) return;
  const publish = (shown: boolean): void =>
    document.documentElement.style.setProperty('--phone-bar-shown', shown ? '1' : '0');
  const { top, bottom } = bar.getBoundingClientRect();
  publish(top < innerHeight && bottom > 0);
  new IntersectionObserver((entries) => publish(entries.at(-1)?.isIntersecting ?? false)).observe(bar);
}
