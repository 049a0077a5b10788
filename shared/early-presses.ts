import { LATER_SECTION_IDS, ROOT_ELEMENT_ID } from './page.ts';

/** What a visitor pressed before the application, or a section that it takes over later, could answer. */
export interface EarlyPresses {
  /** Whether some press still waits for its answer, on the page or in a part of it. */
  waiting: (partId?: string) => boolean;
  /** Gives up what was pressed in a part of the page, in its order, and leaves later presses there alone. */
  take: (partId: string) => HTMLElement[];
}

/** The property of `window` that holds them. */
export const EARLY_PRESSES = 'earlyPresses';

const parts = [ROOT_ELEMENT_ID, ...LATER_SECTION_IDS].map((id) => `#${id}`).join();

/**
 * Keeps presses of what only the application can answer, until it can. It stands in the document's head: whoever sees a
 * button can press it. While a press waits, the page says so.
 */
export const earlyPressesScript = `(function () {
  var pressed = [], ready = [], page = document.documentElement;
  function partOf(element) { return element.closest('${parts}').id; }
  addEventListener('click', function (event) {
    var element = event.target.closest('#${ROOT_ELEMENT_ID} :is(button:not([popovertarget]), input, .video-facade)');
    if (!element || ready.includes(partOf(element))) return;
    event.preventDefault();
    event.stopPropagation();
    pressed.push(element);
    page.dataset.pressed = '';
  }, true);
  window.${EARLY_PRESSES} = {
    waiting: function (part) { return pressed.some(function (element) { return !part || partOf(element) === part; }); },
    take: function (part) {
      var taken = pressed.filter(function (element) { return partOf(element) === part; });
      pressed = pressed.filter(function (element) { return partOf(element) !== part; });
      ready.push(part);
      if (!pressed.length) delete page.dataset.pressed;
      return taken;
    }
  };
})();`;
