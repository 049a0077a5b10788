import { isCountry } from '#shared/countries.ts';

/** The country of the first language that has one in the list, such as `CH` for `de-CH`; '' when none has. */
export function guessCountry(languages: readonly string[]): string {
  return languages.map(regionOf).find(isCountry) ?? '';
}

function regionOf(language: string): string {
  try {
    const locale = new Intl.Locale(language);
    return locale.region ?? locale.maximize().region ?? '';
  } catch {
    // A browser may be told to send any words as its languages.
    return '';
  }
}
