/** Letters that Unicode does not decompose into a base letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Apostrophes of any kind, and the accents and quotes that are typed for them. */
const APOSTROPHES = /['`´ʹʻʼʾʿˈ‘’‛′＇]/gu;

/**
 * A name as it is compared and searched: two names that a reader takes for the same are the same text. Without accents
 * (other scripts write vowels as marks, which stay) and apostrophes, in lower case and usual width, with one space for every hyphen and space.
 */
export function folded(text: string): string {
  return text
    .replace(APOSTROPHES, '')
    .normalize('NFKD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[\p{Pd}\s]+/gu, ' ')
    .trim();
}
