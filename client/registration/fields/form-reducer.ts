import type { UnknownAction } from '@reduxjs/toolkit';
import { useLayoutEffect } from 'react';
import { change, initialize, reducer } from 'redux-form';
import { draftTaken, reset, selectDraft } from '#client/store/stepper-slice.ts';
import { type FormsState, rootReducer, useAppDispatch, useAppSelector } from '#client/store/store.ts';

/** redux-form's reducer; it clears all forms when the registration is abandoned (`reset`). */
function formReducer(forms: FormsState | undefined, action: UnknownAction): FormsState {
  return reducer(reset.match(action) ? {} : forms, action);
}

/** Adds the forms to the store; imported by the steps that hold one. */
rootReducer.inject({ reducerPath: 'form', reducer: formReducer });

/**
 * Fills a form when its step is shown, except fields in which the visitor has already typed, also before a
 * reload. Used in place of redux-form's `initialValues`: those are set while the form is being constructed,
 * and it then stays unvalidated until the first change.
 */
export function useInitialValues(form: string, values: object): void {
  const dispatch = useAppDispatch();
  const draft = useAppSelector((state) => selectDraft(state, form));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is shown
  useLayoutEffect(() => {
    dispatch({ ...initialize(form, values, true) });
    for (const [field, typed] of Object.entries(draft ?? {})) dispatch({ ...change(form, field, typed) });
    if (draft) dispatch(draftTaken(form));
  }, [dispatch, form]);
}
