/**
 * While `data-arriving` stands on the document's element, only the sections near the screen are laid out: see
 * page-section.css and client/islands/lay-out-sections.ts. Not where the rest must have its place at once, as for an address
 * within the page, a reload, which goes back to where it was, or a press on a link; nor where the browser would move what
 * a visitor reads as the sections above her get their size.
 */
export const arrivalScript = `(function () {
  var page = document.documentElement;
  if (location.hash || !CSS.supports('overflow-anchor', 'auto')) return;
  if (performance.getEntriesByType('navigation')[0]?.type !== 'navigate') return;
  page.dataset.arriving = '';
  addEventListener('click', function (event) {
    if (event.target.closest('a')) delete page.dataset.arriving;
  }, true);
})();`;
