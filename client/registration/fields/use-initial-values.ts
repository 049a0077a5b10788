import { useLayoutEffect } from 'react';
import { change, initialize } from 'redux-form';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { draftTaken, selectDraft } from '#client/store/stepper-slice.ts';

/**
 * Fills a form when its step is shown, except the fields in which the visitor has typed before, on this page or before it was
 * loaded again. redux-form's own `initialValues` fill it while it is being constructed, and then leave it unvalidated
 * until the first change.
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
