import type { ReactNode } from 'react';
import { PRIVACY_PANEL_ID } from '#shared/page.ts';

/** Opens the privacy panel, even before any script runs. */
export function PrivacyButton({ children }: { children: ReactNode }) {
  return (
    <button type="button" className="privacy-button" popoverTarget={PRIVACY_PANEL_ID}>
      {children}
    </button>
  );
}
