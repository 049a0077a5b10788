import { fieldId } from './field-frame.tsx';

/** Focuses one of Stripe's fields, which have no element of this page's; tells whether the name is one of them. */
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
