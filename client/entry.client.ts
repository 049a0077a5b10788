import { type ComponentType, createElement, Fragment, startTransition, useEffect } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import { REGISTER_SECTION_ID, STATE_ELEMENT_ID } from '#shared/page.ts';
import type { IslandId } from './islands/island.tsx';
import { ScheduleTable } from './islands/schedule-table.tsx';
import { SiteMenu } from './islands/site-menu.tsx';
import { Videos } from './islands/videos.tsx';
import { keepProgress } from './registration/progress.ts';
import { Registration } from './registration/registration.tsx';
import { createStore, type RootState } from './store/store.ts';
import { startReporting } from './tracking/start-reporting.ts';
import { listenToPage } from './ui/page-events.ts';

const islands: Record<IslandId, ComponentType> = {
  menu: SiteMenu,
  schedule: ScheduleTable,
  videos: Videos,
  [REGISTER_SECTION_ID]: Registration,
};

/** What the server rendered from: each island hydrates from it, even if the store has changed. */
const serverState: RootState = JSON.parse(document.getElementById(STATE_ELEMENT_ID)?.textContent ?? '');
const store = createStore(serverState);

listenToPage();
startReporting(store);
keepProgress(store).then(() => {
  for (const [id, Content] of Object.entries(islands)) hydrate(id, Content);
});

/** Hydrates an island, if the page has it; from then on it handles presses itself. */
function hydrate(id: string, Content: ComponentType): void {
  const root = document.querySelector<HTMLElement>(`[data-island="${id}"]`);
  if (!root) return;
  const onHydrated = (): void => {
    const { pressed } = root.dataset;
    root.dataset.hydrated = '';
    delete root.dataset.pressed;
    // Found by its id, since React renders an island anew whose text a translator has changed.
    if (pressed) document.getElementById(pressed)?.click();
  };
  const children = createElement(
    Fragment,
    null,
    createElement(Content),
    createElement(Hydrated, { onHydrated }),
  );
  // A transition is rendered in time slices, so that presses and scrolling are handled in between.
  startTransition(() => {
    hydrateRoot(root, createElement(Provider, { store, serverState, children }));
  });
}

/** Renders nothing; being the last child, it calls back once everything before it is hydrated. */
function Hydrated({ onHydrated }: { onHydrated: () => void }) {
  useEffect(onHydrated, [onHydrated]);
  return null;
}
