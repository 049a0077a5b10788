import { combineSlices, configureStore } from '@reduxjs/toolkit';
import { useDispatch, useSelector } from 'react-redux';
import type { FormState } from 'redux-form';
import type { Consent } from './consent-slice.ts';
import { siteSlice } from './site-slice.ts';
import { stepperSlice } from './stepper-slice.ts';

/** redux-form's state, by form. Its own type lacks `initial`, the form's initial values. */
export type FormsState = Record<string, FormState & { initial?: Record<string, unknown> }>;

/**
 * Slices added later: `form` with the contact step, see `client/registration/fields/form-reducer.ts`, and
 * `consent` where visits are measured.
 */
interface LazySlices {
  form: FormsState;
  consent: Consent;
}

export const rootReducer = combineSlices(siteSlice, stepperSlice).withLazyLoadedSlices<LazySlices>();

export type RootState = ReturnType<typeof rootReducer>;

/** A store for one render on the server, or for the page's life in the browser. */
export function createStore(preloadedState: Partial<RootState>) {
  return configureStore({ reducer: rootReducer, preloadedState });
}

export type AppStore = ReturnType<typeof createStore>;

export const useAppDispatch = useDispatch.withTypes<AppStore['dispatch']>();
export const useAppSelector = useSelector.withTypes<RootState>();
