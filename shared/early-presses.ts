import { LATER_SECTION_IDS, ROOT_ELEMENT_ID } from './page.ts';

/** What a visitor pressed before the application, or a section that it takes over later, could answer. */
export interface EarlyPresses {
  /** What waits for its answer, in the order of the presses. */
  pressed: EarlyPress[];
  /** The ids of the parts of the page that answer by themselves. */
  ready: string[];
}

export interface EarlyPress {
  element: HTMLElement;
  /** The id of the part of the page that answers for it: the nearest around it. */
  part: string;
}

const parts = [ROOT_ELEMENT_ID, ...LATER_SECTION_IDS].map((id) => `#${id}`).join();

/**
 * Keeps presses of what only the application can answer, until it can. It stands in the document's head: whoever sees a
 * button can press it. While a press waits, the page says so.
 */
export const earlyPressesScript = `(function () {
  var early = window.earlyPresses = { pressed: [], ready: [] };
  addEventListener('click', function (event) {
    var element = event.target.closest('#${ROOT_ELEMENT_ID} :is(button:not([popovertarget]), input, .video-facade)');
    var part = element && element.closest('${parts}').id;
    if (!part || early.ready.includes(part)) return;
    event.preventDefault();
    event.stopPropagation();
    early.pressed.push({ element: element, part: part });
    document.documentElement.dataset.pressed = '';
  }, true);
})();`;
