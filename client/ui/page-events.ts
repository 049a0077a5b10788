import { PRIVACY_PANEL_ID, REGISTER_SECTION_ID } from '#shared/page.ts';
import { followStoredTheme } from './theme.ts';

export function listenToPage(): void {
  followStoredTheme();
  document.addEventListener('click', reportMissingSection);
  document.addEventListener('focusin', leavePrivacyPanel);
}

/** Logs when a call to action is pressed on a page without its register section (R1.14). */
function reportMissingSection({ target }: Event): void {
  if (!(target instanceof Element) || !target.closest(`a[href="#${REGISTER_SECTION_ID}"]`)) return;
  // biome-ignore lint/suspicious/noConsole: the specified reaction
  if (!document.getElementById(REGISTER_SECTION_ID)) console.error('Register section not found');
}

/** Closes the privacy panel when the focus leaves it: a keyboard user must not press what it covers. */
function leavePrivacyPanel({ target }: Event): void {
  const panel = document.getElementById(PRIVACY_PANEL_ID);
  if (target instanceof Node && !panel?.contains(target)) panel?.togglePopover(false);
}
