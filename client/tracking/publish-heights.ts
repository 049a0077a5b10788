/** What lies over the foot of the screen, by the property that holds its height. */
const COVERS = [
  ['.phone-bar', '--phone-bar-height'],
  ['.consent-bar', '--consent-bar-height'],
] as const;

/**
 * Keeps in CSS the heights of what lies over the foot of the screen, also when the question goes and returns, and
 * whether the phone bar is there.
 */
export function publishHeights(): void {
  // At once too: else the bar would be seen to move.
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
  const { style } = document.documentElement;
  for (const [selector, property] of COVERS) {
    const height = document.querySelector(selector)?.getBoundingClientRect().height ?? 0;
    style.setProperty(property, `${height}px`);
  }
}

/** `--phone-bar-shown` is 1 where the phone bar is in view, 0 above and below the part of the page that it is for. */
function followPhoneBar(): void {
  const bar = document.querySelector('.phone-bar');
  if (!bar) return;
  const publish = (shown: boolean): void =>
    document.documentElement.style.setProperty('--phone-bar-shown', shown ? '1' : '0');
  const { top, bottom } = bar.getBoundingClientRect();
  publish(top < innerHeight && bottom > 0);
  new IntersectionObserver((entries) => publish(entries.at(-1)?.isIntersecting ?? false)).observe(bar);
}
