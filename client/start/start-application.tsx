import { startTransition, useEffect } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App } from '#client/app.tsx';
import { preloadSteps } from '#client/registration/preload-steps.ts';
import { keepProgress } from '#client/registration/progress.ts';
import { createStore, type RootState } from '#client/store/store.ts';
import { startReporting } from '#client/tracking/start-reporting.ts';
import { ROOT_ELEMENT_ID, STATE_ELEMENT_ID } from '#shared/page.ts';
import { replayEarlyPresses } from './early-presses.ts';

/** Takes the page over from the server. */
export async function startApplication(): Promise<void> {
  const root = document.getElementById(ROOT_ELEMENT_ID);
  const stateElement = document.getElementById(STATE_ELEMENT_ID);
  if (!root || !stateElement) throw new Error('This page was not rendered by the server');

  const serverState: RootState = JSON.parse(stateElement.textContent);
  const store = createStore(serverState);
  // A transition is done in slices, so that a press or a scroll gets in between.
  startTransition(() => {
    hydrateRoot(
      root,
      <>
        <App store={store} serverState={serverState} />
        <AfterHydration then={replayEarlyPresses} />
      </>,
    );
  });
  startReporting(store);
  preloadSteps(store);
  await keepProgress(store);
}

/** Renders nothing; what comes after stands once everything before it can be pressed. */
function AfterHydration({ then }: { then: () => void }) {
  useEffect(then, [then]);
  return null;
}
