import { isCountry } from '#shared/countries.ts';
import { countryOfZone } from './country-of-zone.ts';

/** What a browser tells of where it is. */
export interface Whereabouts {
  timeZone: string;
  languages: readonly string[];
}

/**
 * The country of the time zone: many a browser outside the United States speaks the English of it. Without one, that of
 * the first language that has one in the list, such as `CH` for `de-CH`; '' when none has.
 */
export function guessCountry({ timeZone, languages }: Whereabouts): string {
  return [countryOfZone(timeZone), ...languages.map(regionOf)].find(isCountry) ?? '';
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
