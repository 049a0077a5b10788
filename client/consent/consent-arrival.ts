import { untilLoaded } from '#client/loading/until-loaded.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';

/**
 * Loads the code that asks for consent. If loading fails, the privacy panel says so and offers a retry, so
 * that consent given earlier can always be withdrawn.
 */
export async function loadConsent<Module>(load: () => Promise<Module>): Promise<Module> {
  const place = document.getElementById(CONSENT_CHOICE_ID);
  const loaded = await untilLoaded(load, () => {
    place?.querySelector('[role="status"]')?.remove();
    place?.querySelector('[hidden]')?.removeAttribute('hidden');
  });
  // The pressed button is removed: move focus to its container.
  if (place?.contains(document.activeElement)) place.focus();
  place?.replaceChildren();
  return loaded;
}
