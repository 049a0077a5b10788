import { ROOT_ELEMENT_ID } from './page.ts';

/** What a visitor pressed before the application ran. */
export interface EarlyPresses {
  elements: readonly HTMLElement[];
  /** Leaves later presses alone. */
  end: () => void;
}

/** The property of `window` that holds them. */
export const EARLY_PRESSES = 'earlyPresses';

/**
 * Keeps presses of what only the application can answer, until it runs. It stands in the document's head: whoever sees a
 * button can press it.
 */
export const earlyPressesScript = `(function () {
  var elements = [];
  function keep(event) {
    var pressed = event.target.closest('#${ROOT_ELEMENT_ID} :is(button:not([popovertarget]), input)');
    if (!pressed) return;
    event.preventDefault();
    event.stopPropagation();
    elements.push(pressed);
  }
  addEventListener('click', keep, true);
  window.${EARLY_PRESSES} = { elements: elements, end: function () { removeEventListener('click', keep, true); } };
})();`;
