import { PLACE_PATH } from '#shared/place.ts';
import { runAct } from './place/run-act.ts';

/*
 * All that the page of one registration runs: it takes cards. The rest of the page works without it.
 */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-act]')) runAct(form);

tellNews();

// Kept by the browser as she left it, it may show what no longer holds.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

/** Leads her to what a press came to, and has a reload not tell it again. */
function tellNews(): void {
  document.querySelector<HTMLElement>('.place-news')?.focus();
  if (location.search) history.replaceState(null, '', PLACE_PATH);
}
