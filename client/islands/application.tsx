import { startTransition, useEffect } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import { leavePrivacyPanel } from '#client/consent/leave-privacy-panel.ts';
import { forgetOldUnfinished } from '#client/registration/progress/unfinished.ts';
import { type AppStore, createStore, type RootState } from '#client/store/store.ts';
import { startReporting } from '#client/tracking/start-reporting.ts';
import { STATE_ELEMENT_ID } from '#shared/page.ts';
import { answerEarlyPresses } from './early-presses.ts';
import { type IslandEntry, islands } from './islands.ts';
import { findIsland, untilNear } from './until-near.ts';

/** What the islands share. */
interface Shared {
  store: AppStore;
  /** The state that the server rendered from: an island hydrates from it, whatever happened in another before. */
  serverState: RootState;
}

/** Hydrates each island in its time, with the one store that continues the server's. */
export function startApplication(): void {
  const stateElement = document.getElementById(STATE_ELEMENT_ID);
  if (!stateElement) throw new Error('This page was not rendered by the server');
  const serverState: RootState = JSON.parse(stateElement.textContent);
  const store = createStore(serverState);
  for (const island of islands) takeOver(island, { store, serverState });
  leavePrivacyPanel();
  startReporting(store);
  forgetOldUnfinished();
}

async function takeOver(island: IslandEntry, shared: Shared): Promise<void> {
  if (!island.early) await untilNear(island.id);
  const element = findIsland(island.id);
  if (element) hydrate(element, island, shared);
}

function hydrate(element: HTMLElement, { id, Content, onHydrated }: IslandEntry, shared: Shared): void {
  const answer = async (): Promise<void> => {
    await onHydrated?.(shared.store);
    await answerEarlyPresses(id);
  };
  // A transition is done in slices, so that a press or a scroll gets in between.
  startTransition(() => {
    hydrateRoot(
      element,
      <Provider {...shared}>
        <Content />
        <AfterHydration call={answer} />
      </Provider>,
    );
  });
}

/** Renders nothing; it stands behind everything that can be pressed. */
function AfterHydration({ call }: { call: () => Promise<void> }) {
  useEffect(() => {
    call();
  }, [call]);
  return null;
}
