import type { UnknownAction } from '@reduxjs/toolkit';
import { reducer } from 'redux-form';
import { reset } from '#client/store/stepper-slice.ts';
import { type FormsState, rootReducer } from '#client/store/store.ts';

/** redux-form's reducer; it clears all forms when the registration is abandoned (`reset`). */
function formReducer(forms: FormsState | undefined, action: UnknownAction): FormsState {
  return reducer(reset.match(action) ? {} : forms, action);
}

/** Adds the forms to the store; imported by the steps that hold one. */
rootReducer.inject({ reducerPath: 'form', reducer: formReducer });
