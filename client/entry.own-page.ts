import { runAct } from './own-page/card-form.ts';

// The whole script of a registrant's page: it runs the card forms. The rest of the page works without it.
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-act]')) runAct(form);

// Moves focus to the result of her last press.
document.querySelector<HTMLElement>('[data-news]')?.focus();

// A page restored from the back-forward cache may be out of date.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
