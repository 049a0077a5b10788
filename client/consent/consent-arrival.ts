import { untilLoaded } from '#client/loading/until-loaded.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';

/**
 * Loads what asks for consent. After a failure the privacy panel says so; so a yes that was given before can always be
 * taken back.
 */
export async function loadConsent<Module>(load: () => Promise<Module>): Promise<Module> {
  const place = document.getElementById(CONSENT_CHOICE_ID);
  const loaded = await untilLoaded(load, () => {
    place?.querySelector('[role="status"]')?.remove();
    place?.querySelector('[hidden]')?.removeAttribute('hidden');
  });
  // What she pressed goes; the focus stays near.
  if (place?.contains(document.activeElement)) place.focus();
  place?.replaceChildren();
  return loaded;
}
