import { nextTouch } from '#client/start/next-touch.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';

/**
 * Loads what asks for consent, however many tries it takes: after a failure the privacy panel says so, and the visitor's
 * next touch tries again (R7.1). So a yes that was given before can always be taken back.
 */
export async function loadConsent<Module>(load: () => Promise<Module>): Promise<Module> {
  const place = document.getElementById(CONSENT_CHOICE_ID);
  for (;;) {
    try {
      const loaded = await load();
      // What she pressed goes; the focus stays near.
      if (place?.contains(document.activeElement)) place.focus();
      place?.replaceChildren();
      return loaded;
    } catch {
      place?.querySelector('[role="status"]')?.remove();
      place?.querySelector('[hidden]')?.removeAttribute('hidden');
      await nextTouch();
    }
  }
}
