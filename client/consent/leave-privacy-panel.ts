import { PRIVACY_PANEL_ID } from '#shared/page.ts';

/** Closes the privacy panel when the focus leaves it: whoever goes on by keyboard is not to press what it hides. */
export function leavePrivacyPanel(): void {
  addEventListener('focusin', ({ target }) => {
    const panel = document.getElementById(PRIVACY_PANEL_ID);
    if (target instanceof Node && !panel?.contains(target)) panel?.togglePopover(false);
  });
}
