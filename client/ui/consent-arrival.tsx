import { createRoot } from 'react-dom/client';
import { lazyPartCopy } from '#shared/content/lazy-part.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';
import { PartFailed } from './part-failed.tsx';

/**
 * Loads what asks for consent. Until it is there, its place in the privacy panel says so, and after a failure offers to
 * try again (R7.1): a yes that was given before can always be taken back.
 */
export async function loadConsent<Module>(load: () => Promise<Module>): Promise<Module> {
  const place = document.getElementById(CONSENT_CHOICE_ID);
  if (!place) return load();
  const root = createRoot(place);
  for (let again = false; ; again = true) {
    root.render(<p role="status">{lazyPartCopy.loading}</p>);
    try {
      const loaded = await load();
      root.unmount();
      return loaded;
    } catch (error) {
      await new Promise<void>((resolve) => {
        const retry = () => {
          // The button goes; the focus stays near.
          place.focus();
          resolve();
        };
        root.render(<PartFailed error={error} again={again} onRetry={retry} />);
      });
    }
  }
}
