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
 * What countries call their subdivisions: those whose addresses have one, and others, where it is only what people may add.
 * @see https://github.com/google/libaddressinput countries whose `fmt` has `%S`
 */
const KINDS = [
  ['state', 'AS BR FM IN MH MP MX MY NG PW UM US VE VI', 'AT DE'],
  ['stateTerritory', 'AU CC CX HM NF', ''],
  ['province', 'AM AR CA CN CR CU ES ID IR IT KP KR MZ PA PG PH TH TR VN', 'BE DO EC LK NL PK ZA ZM'],
  ['county', 'EE IE RO TW', 'GB HR HU KE NO SE'],
  ['prefecture', 'JP', ''],
  ['canton', '', 'CH'],
  ['region', 'BY CL KZ PE RU SO UA UZ', 'DK ET FI FR GH NZ TZ'],
  ['department', 'CO HN NI SV UY', 'BO GT HT PY'],
  ['district', 'NR SR', 'BZ IL PT'],
  ['parish', 'BB JM', 'AD AG DM GD VC'],
  ['governorate', 'EG IQ', 'JO KW LB OM SY TN YE'],
  ['emirate', 'AE', ''],
  ['island', 'BS CV KI KN KY PF SC TV', ''],
  ['area', 'HK', ''],
  ['other', 'LT LV MN', ''],
] as const;

type StateKind = (typeof KINDS)[number][0];

const hasCode = (codes: string, country: unknown) => codes.split(' ').some((code) => code === country);

export function stateKindOf(country: unknown): StateKind {
  const known = KINDS.find(([, ...codes]) => codes.some((some) => country !== '' && hasCode(some, country)));
  return known?.[0] ?? 'other';
}

export function needsState(country: unknown): boolean {
  return !country || KINDS.some(([, codes]) => hasCode(codes, country));
}
