import { type ReactNode, useEffect } from 'react';
import { PRIVACY_PANEL_ID } from '#shared/page.ts';

/** Opens the privacy panel, before any script runs too. */
export function PrivacyButton({ children }: { children: ReactNode }) {
  useEffect(watchFocus, []);
  return (
    <button type="button" className="privacy-button" popoverTarget={PRIVACY_PANEL_ID}>
      {children}
    </button>
  );
}

/** Once, however many buttons there are: it is one listener, for the page's life. */
function watchFocus(): void {
  document.addEventListener('focusin', closeWhenLeft);
}

/** Whoever goes on by keyboard is not to press what the panel hides. */
function closeWhenLeft({ target }: FocusEvent): void {
  const panel = document.getElementById(PRIVACY_PANEL_ID);
  if (target instanceof Node && !panel?.contains(target)) panel?.togglePopover(false);
}
