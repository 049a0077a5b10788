import { runAct } from './place/run-act.ts';

/*
 * All that the page of one registration runs: it takes cards. The rest of the page works without it.
 */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-act]')) runAct(form);

// Leads her to what her last press came to.
document.querySelector<HTMLElement>('.place-news')?.focus();

// Kept by the browser as she left it, it may show what no longer holds.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
