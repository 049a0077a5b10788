/**
 * A link that writes to an e-mail address; no character of the address can begin a parameter.
 * @see https://www.rfc-editor.org/rfc/rfc6068
 */
export function mailLink(address: string, subject?: string): string {
  const lastAt = /%40(?!.*%40)/;
  const to = encodeURIComponent(address).replace(lastAt, '@');
  return `mailto:${to}${subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`}`;
}
