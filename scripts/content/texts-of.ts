import type { Field } from './problems.ts';
import type { Written } from './schemas.ts';

/** A text of an edition: the file, the path to it there, and the text as it is written. */
export interface FoundText {
  file: keyof Written;
  field: Field;
  text: string;
}

/** The files that an author writes words into. */
const FILES = [
  'terms',
  'edition',
  'schedule',
  'page',
  'people',
  'outlets',
  'faq',
] as const satisfies (keyof Written)[];

/** All texts of an edition, the terms first. */
export function textsOf(written: Written): FoundText[] {
  const found: FoundText[] = [];
  const search = (file: keyof Written, value: unknown, field: Field): void => {
    if (typeof value === 'string') found.push({ file, field, text: value });
    if (typeof value !== 'object' || value === null) return;
    const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [key, part] of parts) search(file, part, [...field, key]);
  };
  for (const file of FILES) search(file, written[file], []);
  return found;
}
