const fieldOf = (form: HTMLFormElement, name: string) =>
  form.querySelector(`[data-field="${CSS.escape(name)}"]`);

/** What stands in a text field of a form. */
export function textOf(form: HTMLFormElement, name: string): string {
  return fieldOf(form, name)?.querySelector('input')?.value.trim() ?? '';
}

/** Shows beside a field what is wrong with it; undefined clears it. */
export function showFieldError(form: HTMLFormElement, name: string, error: string | undefined): void {
  const field = fieldOf(form, name);
  const place = field?.querySelector('.field__error');
  if (place) place.textContent = error ?? '';
  field?.querySelector('input')?.setAttribute('aria-invalid', String(error !== undefined));
  field?.querySelector('[data-card]')?.classList.toggle('field__control--invalid', error !== undefined);
}

/** Shows what the server says of fields, and leads her to the first of them. */
export function showFieldErrors(form: HTMLFormElement, errors: Readonly<Record<string, string>>): void {
  for (const [name, error] of Object.entries(errors)) showFieldError(form, name, error);
  const [first] = Object.keys(errors);
  if (first) fieldOf(form, first)?.querySelector('input')?.focus();
}

/** Shows that a text field is empty, or not as it must be. Returns what focuses it then. */
export function requireText(
  form: HTMLFormElement,
  name: string,
  error: string,
  pattern = /./,
): (() => void) | undefined {
  const isGood = pattern.test(textOf(form, name));
  showFieldError(form, name, isGood ? undefined : error);
  return isGood ? undefined : () => fieldOf(form, name)?.querySelector('input')?.focus();
}
