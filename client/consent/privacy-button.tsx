import type { ReactNode } from 'react';
import { PRIVACY_PANEL_ID } from '#shared/page.ts';

/** Opens the privacy panel, before any script runs too. */
export function PrivacyButton({ children }: { children: ReactNode }) {
  return (
    <button type="button" className="privacy-button" popoverTarget={PRIVACY_PANEL_ID}>
      {children}
    </button>
  );
}
