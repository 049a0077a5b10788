import { useLayoutEffect } from 'react';
import { initialize } from 'redux-form';
import { useAppDispatch } from '#client/store/hooks.ts';

/**
 * Fills a form when its step is shown, but for what the visitor has typed there before. redux-form's own
 * `initialValues` fill it while it is being constructed, and then leave it unvalidated until the first change.
 */
export function useInitialValues(form: string, values: object): void {
  const dispatch = useAppDispatch();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is shown
  useLayoutEffect(() => {
    dispatch({ ...initialize(form, values, true) });
  }, [dispatch, form]);
}
