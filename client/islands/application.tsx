import { startTransition, useEffect } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import { type AppStore, createStore, type RootState } from '#client/store/store.ts';
import { startReporting } from '#client/tracking/start-reporting.ts';
import { PRIVACY_PANEL_ID, STATE_ELEMENT_ID } from '#shared/page.ts';
import { answerEarlyPresses, findIsland, findPressedAgain, untilNear } from './before-hydration.ts';
import { type IslandEntry, islands } from './islands.tsx';

/** What the islands share. */
interface Shared {
  store: AppStore;
  /** The state that the server rendered from: each island hydrates from it, even if the store has changed. */
  serverState: RootState;
}

/** Hydrates each island when it is due, all with one store that continues the server's state. */
export function startApplication(): void {
  const stateElement = document.getElementById(STATE_ELEMENT_ID);
  if (!stateElement) throw new Error('This page was not rendered by the server');
  const serverState: RootState = JSON.parse(stateElement.textContent);
  const store = createStore(serverState);
  for (const island of islands) hydrateWhenDue(island, { store, serverState });
  leavePrivacyPanel();
  startReporting(store);
}

async function hydrateWhenDue(island: IslandEntry, shared: Shared): Promise<void> {
  if (!island.early) await untilNear(island.id);
  const element = findIsland(island.id);
  if (element) hydrate(element, island, shared);
}

function hydrate(element: HTMLElement, { id, Content, onHydrated }: IslandEntry, shared: Shared): void {
  const answer = async (): Promise<void> => {
    findPressedAgain(id, element);
    await onHydrated?.(shared.store);
    await answerEarlyPresses(id);
  };
  // React renders a transition in time slices, so that presses and scrolling are handled in between.
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

/** Renders nothing; being the last child, it calls back once everything before it is hydrated. */
function AfterHydration({ call }: { call: () => Promise<void> }) {
  useEffect(() => {
    call();
  }, [call]);
  return null;
}

/** Closes the privacy panel when the focus leaves it: a keyboard user must not press what it covers. */
function leavePrivacyPanel(): void {
  addEventListener('focusin', ({ target }) => {
    const panel = document.getElementById(PRIVACY_PANEL_ID);
    if (target instanceof Node && !panel?.contains(target)) panel?.togglePopover?.(false);
  });
}
