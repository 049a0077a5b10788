const fieldOf = (form: HTMLFormElement, name: string) => form.querySelector(`[data-field="${name}"]`);

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

/** Shows what is wrong with a text field, and leads her to it. */
export function refuseText(form: HTMLFormElement, name: string, error: string): void {
  showFieldError(form, name, error);
  fieldOf(form, name)?.querySelector('input')?.focus();
}

/** Shows that a text field is empty. Returns what focuses it then. */
export function requireText(form: HTMLFormElement, name: string, error: string): (() => void) | undefined {
  const isEmpty = textOf(form, name) === '';
  showFieldError(form, name, isEmpty ? error : undefined);
  return isEmpty ? () => fieldOf(form, name)?.querySelector('input')?.focus() : undefined;
}
