/** What lies over the foot of the screen, by the property that holds its height. */
const COVERS = [
  ['.phone-bar', '--phone-bar-height'],
  ['.consent-bar', '--consent-bar-height'],
] as const;

/** Keeps the heights of what lies over the foot of the screen in CSS, also when the question goes and returns. */
export function publishHeights(): void {
  // At once too: else the bar would be seen to move.
  measure();
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
