/** What a visitor pressed in islands, see client/islands/, before they were hydrated. */
export interface EarlyPresses {
  /** What waits for its answer, in the order of the presses. */
  pressed: EarlyPress[];
  /** The ids of the islands that answer by themselves. */
  ready: string[];
}

export interface EarlyPress {
  element: HTMLElement;
  /** The id of the island that answers for it. */
  island: string;
}

/**
 * Keeps presses of what only an island can answer, until it can. It stands in the document's head: a button can be pressed
 * as soon as it is seen. While a press waits, the page says so.
 */
export const earlyPressesScript = `(function () {
  var early = window.earlyPresses = { pressed: [], ready: [] };
  addEventListener('click', function (event) {
    var element = event.target.closest('[data-island] :is(button:not([popovertarget]), input, .video-facade)');
    var island = element && element.closest('[data-island]').dataset.island;
    if (!island || early.ready.includes(island)) return;
    event.preventDefault();
    event.stopPropagation();
    early.pressed.push({ element: element, island: island });
    document.documentElement.dataset.pressed = '';
  }, true);
})();`;
