import { fieldId } from './field-frame.tsx';

/**
 * Moves focus to the first field in error, in the order the form shows them (R2.8). Stripe's fields have no
 * element of ours: `focusers` holds how to focus those.
 */
export function focusFirstError(
  fieldOrder: readonly string[],
  errors: object | undefined,
  focusers: ReadonlyMap<string, () => void> = new Map(),
): void {
  const first = fieldOrder.find((name) => errors && name in errors);
  if (first === undefined) return;
  const focus = focusers.get(first) ?? (() => document.getElementById(fieldId(first))?.focus());
  focus();
}
