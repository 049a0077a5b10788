import { isCountry } from '#shared/countries.ts';
import { countryOfZone } from './country-of-zone.ts';

/** What a browser reveals about its location. */
export interface Whereabouts {
  timeZone: string;
  languages: readonly string[];
}

/**
 * The country of the time zone. It comes before the languages because many browsers outside the United States
 * are set to US English. If the zone has none, the country of the first language whose region is in the list
 * of countries, such as `CH` for `de-CH`; '' if there is none.
 */
export function guessCountry({ timeZone, languages }: Whereabouts): string {
  return [countryOfZone(timeZone), ...languages.map(regionOf)].find(isCountry) ?? '';
}

function regionOf(language: string): string {
  try {
    const locale = new Intl.Locale(language);
    return locale.region ?? locale.maximize().region ?? '';
  } catch {
    // A browser can be configured to send any text as a language.
    return '';
  }
}
