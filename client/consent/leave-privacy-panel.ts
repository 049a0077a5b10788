import { PRIVACY_PANEL_ID } from '#shared/page.ts';

/**
 * Closes the privacy panel when the focus leaves it: a keyboard user must not press what it covers. Browsers without popovers
 * show it as a modal dialog, which the focus cannot leave.
 */
export function leavePrivacyPanel(): void {
  addEventListener('focusin', ({ target }) => {
    const panel = document.getElementById(PRIVACY_PANEL_ID);
    if (target instanceof Node && !panel?.contains(target)) panel?.togglePopover?.(false);
  });
}
