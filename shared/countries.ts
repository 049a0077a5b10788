export interface Country {
  code: string;
  label: string;
}

const FIRST = ['AU', 'CA', 'US'];

/** The rest of ISO 3166-1, by code, and Kosovo, whose code is one of those left to users. */
const OTHERS =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'.split(
    ' ',
  );

/** Countries without postal codes, by the Universal Postal Union's database of addresses. */
const WITHOUT_POSTAL_CODES = new Set(
  'AE AG AO AQ AW BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK JM KI KM KN KP ML MO MR MW NR NU QA RW SB SC SL SO SR SS ST SX SY TD TF TG TK TL TO TV UG VU YE ZW'.split(
    ' ',
  ),
);

export function needsPostalCode(country: unknown): boolean {
  return typeof country !== 'string' || !WITHOUT_POSTAL_CODES.has(country);
}

/** All countries with their English names: Australia, Canada and the United States first, the rest by label (R2.9). */
export function listCountries(): readonly Country[] {
  const named = (code: string): Country => ({ code, label: nameOfCountry(code) });
  const others = OTHERS.map(named).sort((a, b) => a.label.localeCompare(b.label, 'en'));
  return [...FIRST.map(named), ...others];
}

function nameOfCountry(code: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
  // Node 24 throws for an empty code.
  return code && (names.of(code) ?? code);
}
let names: Intl.DisplayNames | undefined;

/**
 * Countries whose addresses have a state, a province or the like.
 * @see https://github.com/google/libaddressinput countries whose `fmt` has `%S`
 */
const WITH_STATES = new Set(
  'AE AM AR AS AU BB BR BS BY CA CC CL CN CO CR CU CV CX EE EG ES FM HK HM HN ID IE IN IQ IR IT JM JP KI KN KP KR KY KZ LT LV MH MN MP MX MY MZ NF NG NI NR PA PE PF PG PH PW RO RU SC SO SR SV TH TR TV TW UA UM US UY UZ VE VI VN'.split(
    ' ',
  ),
);

export function needsState(country: unknown): boolean {
  return typeof country !== 'string' || country === '' || WITH_STATES.has(country);
}
