/** The session storage key that marks a tab in which a place was paid. */
export const REGISTERED_STORAGE_KEY = 'registered';

/**
 * Sets `data-registered` on the root element, before the first paint, for a visitor who has paid in this tab:
 * the calls to action then say that the place is reserved. See client/registration/progress/progress.ts.
 */
export const registeredScript = `(function () {
  try { if (sessionStorage.getItem('${REGISTERED_STORAGE_KEY}')) document.documentElement.dataset.registered = ''; } catch (blocked) {}
})();`;
