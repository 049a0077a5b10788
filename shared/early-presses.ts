/** Presses that a visitor made in islands (see client/islands/) before they were hydrated. */
export interface EarlyPresses {
  /** Presses that wait to be replayed, in their order. */
  pressed: EarlyPress[];
  /** The ids of the islands that are hydrated and handle presses themselves. */
  ready: string[];
}

export interface EarlyPress {
  element: HTMLElement;
  /** The id of the island that contains the element. */
  island: string;
}

/**
 * Keeps presses of elements that only a hydrated island can handle, until it is hydrated. It is in the
 * document's head, since a button can be pressed as soon as it is visible. While a press waits,
 * `data-pressed` is set on the root element, and the page shows it.
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
