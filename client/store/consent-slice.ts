import { createSlice, type PayloadAction } from '@reduxjs/toolkit';

/** Consent to being measured: the visitor's answer, or her browser's refusal by a privacy signal (R6.1). */
export type Consent = 'unasked' | 'granted' | 'denied' | 'refusedByBrowser';

const initialState = (): Consent => 'unasked';

/** Added to the store only where visits are measured, see `client/tracking/track-visitor.tsx`. */
export const consentSlice = createSlice({
  name: 'consent',
  initialState,
  reducers: {
    consentSet: (_consent, action: PayloadAction<Consent>) => action.payload,
  },
});

export const { consentSet } = consentSlice.actions;

export function selectConsent(state: { consent?: Consent }): Consent | undefined {
  return state.consent;
}
