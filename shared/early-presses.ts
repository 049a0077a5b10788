/** Presses that a visitor made in islands (see client/islands/) before they were hydrated. */
export interface EarlyPresses {
  /** Presses that wait to be replayed, in their order. */
  pressed: EarlyPress[];
  /** The ids of the islands that are hydrated and handle presses themselves. */
  ready: string[];
}

export interface EarlyPress {
  element: HTMLElement;
  /** Its index among the pressable elements of the island. */
  index: number;
  /** The id of the island that contains the element. */
  island: string;
}

/** Matches what only a hydrated island can handle. */
export const PRESSABLE = ':is(button:not([popovertarget]), input, .video-facade)';

/**
 * Keeps presses of elements that only a hydrated island can handle, until it is hydrated. It is in the
 * document's head, since a button can be pressed as soon as it is visible. While a press waits,
 * `data-pressed` is set on the root element, and the page shows it.
 */
export const earlyPressesScript = `(function () {
  var early = window.earlyPresses = { pressed: [], ready: [] };
  addEventListener('click', function (event) {
    var element = event.target.closest('[data-island] ${PRESSABLE}');
    if (!element) return;
    var root = element.closest('[data-island]');
    var island = root.dataset.island;
    if (early.ready.includes(island)) return;
    event.preventDefault();
    event.stopPropagation();
    var index = [].indexOf.call(root.querySelectorAll('${PRESSABLE}'), element);
    early.pressed.push({ element: element, index: index, island: island });
    document.documentElement.dataset.pressed = '';
  }, true);
})();`;
