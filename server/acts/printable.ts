import { stripVTControlCharacters } from 'node:util';

/** Control, invisible and direction-changing characters and lone surrogates: none of them may reach a terminal. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line of text that is safe to print to a terminal, even if it contains hostile escape sequences. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(UNPRINTABLE, ' ').replace(/ {2,}/g, ' ').trim();
}
