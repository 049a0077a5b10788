/** Where a tab notes in its session storage that a place was paid in it. */
export const REGISTERED_STORAGE_KEY = 'registered';

/**
 * Marks the page for a visitor who has paid in this tab, before its first paint: its calls to action then say that the
 * place is reserved. See client/registration/progress/progress.ts.
 */
export const registeredScript = `(function () {
  try { if (sessionStorage.getItem('${REGISTERED_STORAGE_KEY}')) document.documentElement.dataset.registered = ''; } catch (blocked) {}
})();`;
