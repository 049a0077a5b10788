import { createPortal, flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import { ConsentBar } from '#client/consent/consent-bar.tsx';
import { ConsentChoice } from '#client/consent/consent-choice.tsx';
import { followStoredConsent, readConsent } from '#client/consent/stored-consent.ts';
import { consentSet, consentSlice } from '#client/store/consent-slice.ts';
import { type AppStore, rootReducer } from '#client/store/store.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';
import { followPage } from './follow-page.ts';
import { followStore } from './follow-store.ts';
import { createPixel } from './pixel.ts';
import { publishHeights } from './publish-heights.ts';

/** Asks whether the visit may be measured, unless the answer is known, and applies it (R6.1, R6.2). */
export function trackVisitor(store: AppStore): void {
  const { metaPixelId, metaPixelScriptUrl } = store.getState().site;
  if (metaPixelId === null) return;
  rootReducer.inject({ reducerPath: 'consent', reducer: consentSlice.reducer });
  store.dispatch(consentSet(readConsent()));
  followStoredConsent((consent) => store.dispatch(consentSet(consent)));

  const pixel = createPixel({ id: metaPixelId, scriptUrl: metaPixelScriptUrl });
  followPage(pixel);
  followStore(store, pixel);
  showConsent(store);
}

/** The consent bar comes first in the body and in the tab order; the choice is in the privacy panel. */
function showConsent(store: AppStore): void {
  const choicePlace = document.getElementById(CONSENT_CHOICE_ID);
  const place = document.createElement('div');
  document.body.prepend(place);
  flushSync(() =>
    createRoot(place).render(
      <Provider store={store}>
        <ConsentBar />
        {choicePlace && createPortal(<ConsentChoice />, choicePlace)}
      </Provider>,
    ),
  );
  publishHeights();
}
