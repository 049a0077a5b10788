import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App } from '#client/app.tsx';
import { leavePrivacyPanel } from '#client/consent/leave-privacy-panel.ts';
import { forgetOldUnfinished } from '#client/registration/progress/unfinished.ts';
import { createStore, type RootState } from '#client/store/store.ts';
import { startReporting } from '#client/tracking/start-reporting.ts';
import { ROOT_ELEMENT_ID, STATE_ELEMENT_ID } from '#shared/page.ts';
import { useEarlyPresses } from './use-early-presses.ts';

/** Takes the page over from the server. */
export function startApplication(): void {
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
        <EarlyPresses />
      </>,
    );
  });
  leavePrivacyPanel();
  startReporting(store);
  forgetOldUnfinished();
}

/** Renders nothing; it stands behind everything that can be pressed. */
function EarlyPresses() {
  useEarlyPresses(ROOT_ELEMENT_ID);
  return null;
}
