import type { UnknownAction } from '@reduxjs/toolkit';
import {
  type ComponentType,
  type InputHTMLAttributes,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import {
  type BaseFieldProps,
  change,
  Field,
  initialize,
  reducer,
  type WrappedFieldMetaProps,
  type WrappedFieldProps,
} from 'redux-form';
import { draftTaken, reset, selectDraft } from '#client/store/stepper-slice.ts';
import { type FormsState, rootReducer, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/links.tsx';
import { registrationCopy } from '#shared/content/registration.ts';

interface FieldFrameProps {
  name: string;
  label: string;
  meta: WrappedFieldMetaProps;
  children: ReactNode;
  /** Shown below the error, such as a suggestion while there is no error. */
  note?: ReactNode;
}

/** A label, its control and, once the field is touched, its error (R3.5). */
export function FieldFrame({ name, label, meta, children, note }: FieldFrameProps) {
  return (
    <div className="field">
      <label className="field__label" htmlFor={fieldId(name)}>
        {label}
      </label>
      {children}
      <div className="field__notes">
        <p className="field__error" id={errorId(name)} aria-live="polite">
          {visibleError(meta)}
        </p>
        {note}
      </div>
    </div>
  );
}

export const fieldId = (name: string): string => `register-${name}`;

export const errorId = (name: string): string => `${fieldId(name)}-error`;

/** The error to show: none before the field is touched. */
export function visibleError({ touched, error }: WrappedFieldMetaProps): string | undefined {
  return touched && typeof error === 'string' ? error : undefined;
}

/** What ties a control to its label and its error. */
export function controlProps(name: string, meta: WrappedFieldMetaProps, required = true) {
  const invalid = visibleError(meta) !== undefined;
  return {
    id: fieldId(name),
    'aria-required': required,
    'aria-invalid': invalid,
    'aria-describedby': invalid ? errorId(name) : undefined,
  };
}

type FieldComponent<Props> = ComponentType<WrappedFieldProps & Props>;

/**
 * redux-form's Field, typed by the component it renders: its own type accepts any props at all and is not a
 * component in React 19's sense.
 */
export const FormField = Field as unknown as <Props>(
  props: Omit<BaseFieldProps, 'component' | 'props'> & {
    name: string;
    type?: string | undefined;
    component: FieldComponent<Props>;
  } & Props,
) => React.JSX.Element;

/** Focuses one of Stripe's fields, which are not elements of this page; returns whether the name is one. */
export type FocusCard = (name: string) => boolean;

/** Moves focus to the first field in error, in the order the form shows them (R2.8). */
export function focusFirstError(
  fieldOrder: readonly string[],
  errors: object | undefined,
  focusCard?: FocusCard,
): void {
  const first = fieldOrder.find((name) => errors && name in errors);
  if (first === undefined || focusCard?.(first)) return;
  document.getElementById(fieldId(first))?.focus();
}

/** Props of a text field; it is required by default. */
interface TextFieldProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    | ('autoCapitalize' | 'autoComplete' | 'autoCorrect' | 'enterKeyHint' | 'inputMode')
    | ('required' | 'spellCheck' | 'type')
  > {
  label: string;
}

/** A text input bound to a redux-form field; a telephone's keyboard begins each word of it with a capital. */
export function TextField({ name, ...props }: TextFieldProps & { name: string }) {
  return <FormField name={name} component={TextInput} {...props} />;
}

function TextInput({
  input,
  meta,
  label,
  required = true,
  type = 'text',
  autoCapitalize = type === 'text' ? 'words' : undefined,
  enterKeyHint = 'next',
  ...keyboard
}: WrappedFieldProps & TextFieldProps) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <input
        {...input}
        {...controlProps(input.name, meta, required)}
        {...keyboard}
        className="field__control"
        type={type}
        autoCapitalize={autoCapitalize}
        enterKeyHint={enterKeyHint}
      />
    </FieldFrame>
  );
}

interface FormErrorProps {
  error: FormFailure | undefined;
  /** How to answer an error that is a question. */
  answer?: ReactNode;
}

/** The error of the whole form, announced when it appears (R3.5), and how to reach the office. */
export function FormError({ error, answer }: FormErrorProps) {
  const asks = Boolean(error && answer);
  const words = useRef<HTMLDivElement>(null);
  // Focuses the error when it is a question, so that its answer is next in the tab order.
  useEffect(() => {
    if (!asks) return;
    words.current?.focus({ preventScroll: true });
    words.current?.parentElement?.scrollIntoView({ block: 'nearest' });
  }, [asks]);
  return (
    <div className={asks ? 'form-question' : undefined}>
      <div ref={words} role="alert" tabIndex={asks ? -1 : undefined}>
        {error && <p className="form-error">{error.words}</p>}
        {error?.reassurance && <p className="form-reassurance">{error.reassurance}</p>}
      </div>
      {asks && answer}
      {error && (
        <p className="form-help">
          {registrationCopy.errorHelp} <OfficePhoneLink />, <OfficeEmailLink />
        </p>
      )}
    </div>
  );
}

/** Why a form could not be submitted, in words for the visitor. */
export interface FormFailure {
  /** What is wrong: the provider's words, the endpoint's, or the specification's (R4.4). */
  words: string;
  /** What happened to her money, where the words do not say it. */
  reassurance?: string | undefined;
  /** Whether another card may do. */
  cardRefused?: boolean | undefined;
}

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
