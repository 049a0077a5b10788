const fieldOf = (form: HTMLFormElement, name: string) => form.querySelector(`[data-field="${name}"]`);
const inputOf = (form: HTMLFormElement, name: string) => fieldOf(form, name)?.querySelector('input');

/** The trimmed value of a text field. */
export function textOf(form: HTMLFormElement, name: string): string {
  return inputOf(form, name)?.value.trim() ?? '';
}

/** Shows an error at a field; undefined clears it. */
export function showFieldError(form: HTMLFormElement, name: string, error: string | undefined): void {
  const field = fieldOf(form, name);
  const place = field?.querySelector('.field__error');
  if (place) place.textContent = error ?? '';
  field?.querySelector('input')?.setAttribute('aria-invalid', String(error !== undefined));
  field?.querySelector('[data-card]')?.classList.toggle('field__control--invalid', error !== undefined);
}

/** Shows an error at a text field, and focuses the field. */
export function refuseText(form: HTMLFormElement, name: string, error: string): void {
  showFieldError(form, name, error);
  inputOf(form, name)?.focus();
}

/** Shows an error if a text field is empty; then returns a function that focuses it. */
export function requireText(form: HTMLFormElement, name: string, error: string): (() => void) | undefined {
  const isEmpty = textOf(form, name) === '';
  showFieldError(form, name, isEmpty ? error : undefined);
  return isEmpty ? () => inputOf(form, name)?.focus() : undefined;
}
