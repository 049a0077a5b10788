import { createSlice, type PayloadAction } from '@reduxjs/toolkit';

/** What a visitor, or her browser on its own account, says to being measured (R6.1). */
export type Consent = 'unasked' | 'granted' | 'denied' | 'refusedByBrowser';

const initialState = (): Consent => 'unasked';

/** It joins the store where visits are measured only, see `client/tracking/track-visitor.tsx`. */
export const consentSlice = createSlice({
  name: 'consent',
  initialState,
  reducers: {
    consentSet: (_consent, action: PayloadAction<Consent>) => action.payload,
  },
});

export const { consentSet } = consentSlice.actions;

/** Undefined where nothing is measured, and until the browser has been asked what it knows. */
export function selectConsent(state: { consent?: Consent }): Consent | undefined {
  return state.consent;
}
