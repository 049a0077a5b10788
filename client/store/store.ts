import { combineSlices, configureStore, createSlice } from '@reduxjs/toolkit';
import { useDispatch, useSelector } from 'react-redux';
import type { FormState } from 'redux-form';
import type { SiteState } from '#shared/page.ts';
import type { Consent } from './consent-slice.ts';
import { stepperSlice } from './stepper-slice.ts';

const initialState: SiteState = {
  officeEmail: '',
  officePhone: '',
  officeFax: null,
  officePostalAddress: null,
  officeLegalName: null,
  registrationOpen: true,
  stripePublishableKey: '',
  stripeScriptUrl: null,
  metaPixelId: null,
};

const siteSlice = createSlice({
  name: 'site',
  initialState,
  reducers: {
    becameFull(site) {
      site.isFull = true;
    },
    hasPlaces(site) {
      delete site.isFull;
    },
  },
  selectors: { selectSite: (site): SiteState => site },
});

export const { becameFull, hasPlaces } = siteSlice.actions;
export const { selectSite } = siteSlice.selectors;

/** redux-form's state, by form. Its own type lacks `initial`, the form's initial values. */
export type FormsState = Record<string, FormState & { initial?: Record<string, unknown> }>;

/**
 * Slices added later: `form` with the contact step, see `client/registration/fields/form.tsx`, and
 * `consent` where visits are measured.
 */
interface LazySlices {
  form: FormsState;
  consent: Consent;
}

export const rootReducer = combineSlices(siteSlice, stepperSlice).withLazyLoadedSlices<LazySlices>();

export type RootState = ReturnType<typeof rootReducer>;

export function createStore(preloadedState: Partial<RootState>) {
  return configureStore({ reducer: rootReducer, preloadedState });
}

export type AppStore = ReturnType<typeof createStore>;

export const useAppDispatch = useDispatch.withTypes<AppStore['dispatch']>();
export const useAppSelector = useSelector.withTypes<RootState>();
