import type { UnknownAction } from '@reduxjs/toolkit';
import { type ComponentType, useLayoutEffect, useState } from 'react';
import {
  change,
  Field,
  type FormErrors as FieldErrors,
  formValueSelector,
  type InjectedFormProps,
  initialize,
  reducer,
  reduxForm,
  SubmissionError,
  startSubmit,
  stopSubmit,
  touch,
  untouch,
  type WrappedFieldMetaProps,
  type WrappedFieldProps,
} from 'redux-form';
import { draftTaken, reset, selectDraft } from '#client/store/stepper-slice.ts';
import {
  type FormsState,
  type RootState,
  rootReducer,
  useAppDispatch,
  useAppSelector,
} from '#client/store/store.ts';

/*
 * The one module that knows redux-form. Its failures: https://redux-form.com/8.3.0/docs/api/submissionerror.md
 */

export type FieldMeta = WrappedFieldMetaProps;
export type FieldProps = WrappedFieldProps;

export interface FormFailure {
  /** What is wrong: the provider's words, the endpoint's, or the specification's (R4.4). */
  words: string;
  /** What happened to her money, where the words do not say it. */
  reassurance?: string | undefined;
  cardRefused?: boolean | undefined;
}

export type FormErrors = Record<string, string> | { _error: FormFailure };

export type FormState<Values, Props> = InjectedFormProps<Values, Props, FormFailure> & Props;

interface FormConfig<Values> {
  validate: (values: Values) => FieldErrors<Values, FormFailure>;
  fields: readonly string[];
}

export interface FocusProps {
  /** Focuses a field that is not an element of this page; returns whether the name is one of those. */
  focusField?: (name: string) => boolean;
}

/** Makes a form of redux-form; a failed submit moves the focus to the first field in error (R2.8). */
export function makeForm<Values extends object, Props extends FocusProps>(
  Fields: ComponentType<FormState<Values, Props>>,
  { validate, fields }: FormConfig<Values>,
) {
  return reduxForm<Values, Props, FormFailure>({
    destroyOnUnmount: false,
    validate,
    onSubmitFail: (errors, _dispatch, _error, { focusField }) => {
      const first = fields.find((name) => errors && name in errors);
      if (first !== undefined && !focusField?.(first)) document.getElementById(fieldId(first))?.focus();
    },
  })(Fields);
}

export const fieldId = (name: string): string => `register-${name}`;

/** redux-form's Field, typed by the component that it renders: its own type accepts any props at all. */
export function FormField<Props>(
  props: { name: string; type?: string; component: ComponentType<FieldProps & Props> } & Props,
) {
  return <Field {...props} />;
}

/** Clears all forms when the registration is abandoned (`reset`). */
function formReducer(forms: FormsState | undefined, action: UnknownAction): FormsState {
  return reducer(reset.match(action) ? {} : forms, action);
}

/** redux-form arrives with the first form, and its state is in the store from then on. */
const addForms = () => rootReducer.inject({ reducerPath: 'form', reducer: formReducer });

/**
 * Fills a form when its step is shown, except fields in which the visitor has already typed, also before a reload. Used in
 * place of redux-form's `initialValues`: those are set while the form is being constructed, and it then stays unvalidated
 * until the first change.
 */
export function useForm(form: string, values: object): void {
  useState(addForms);
  const dispatch = useAppDispatch();
  const draft = useAppSelector((state) => selectDraft(state, form));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the step is shown
  useLayoutEffect(() => {
    dispatch({ ...initialize(form, values, true) });
    for (const [field, typed] of Object.entries(draft ?? {})) dispatch({ ...change(form, field, typed) });
    if (draft) dispatch(draftTaken(form));
  }, [dispatch, form]);
}

export const useFieldValue = (form: string, field: string): unknown =>
  useAppSelector((state): unknown => formValueSelector<RootState>(form)(state, field));

/** Runs a submit, and shows what it throws: redux-form itself would swallow it. */
export async function submitOrShow(
  submit: () => Promise<void>,
  explain: (error: unknown) => FormErrors,
): Promise<void> {
  try {
    await submit();
  } catch (error) {
    throw new SubmissionError<object, FormFailure>(explain(error));
  }
}

export function useFormActions(form: string) {
  const dispatch = useAppDispatch();
  return {
    showFailure: (failure: FormFailure) => dispatch({ ...stopSubmit(form, { _error: failure }) }),
    touch: (field: string) => dispatch({ ...touch(form, field) }),
    untouch: (...fields: readonly string[]) => dispatch({ ...untouch(form, ...fields) }),
    async submitBy(submit: () => Promise<void>): Promise<boolean> {
      dispatch({ ...startSubmit(form) });
      try {
        await submit();
        dispatch({ ...stopSubmit(form) });
        return true;
      } catch (error) {
        if (!(error instanceof SubmissionError)) throw error;
        dispatch({ ...stopSubmit(form, error.errors) });
        return false;
      }
    },
  };
}
