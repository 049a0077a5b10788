import type { UnknownAction } from '@reduxjs/toolkit';
import { type FormStateMap, reducer } from 'redux-form';
import { reset } from '#client/store/stepper-slice.ts';
import { rootReducer } from '#client/store/store.ts';

/** redux-form's reducer; a registration that is abandoned takes what was typed with it. */
function formReducer(forms: FormStateMap | undefined, action: UnknownAction): FormStateMap {
  return reducer(reset.match(action) ? {} : forms, action);
}

/** Adds the forms to the store; imported by the steps that hold one. */
rootReducer.inject({ reducerPath: 'form', reducer: formReducer });
