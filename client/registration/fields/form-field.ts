import type { ComponentType, HTMLInputAutoCompleteAttribute, HTMLInputTypeAttribute } from 'react';
import { type BaseFieldProps, Field, type WrappedFieldProps } from 'redux-form';

/** What every field of the forms is told. */
export interface FieldProps {
  label: string;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  type?: HTMLInputTypeAttribute;
  inputMode?: 'text' | 'email' | 'tel' | 'numeric';
}

type FieldComponent<Props> = ComponentType<WrappedFieldProps & Props>;

/**
 * redux-form's Field, typed by the component it renders: its own type accepts any props at all and is not a
 * component in React 19's sense.
 */
export const FormField = Field as unknown as <Props>(
  props: Omit<BaseFieldProps, 'component' | 'props'> & {
    name: string;
    type?: string;
    component: FieldComponent<Props>;
  } & Props,
) => React.JSX.Element;
