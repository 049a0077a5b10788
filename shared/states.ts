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

export type StateKind = (typeof KINDS)[number][0];

const hasCode = (codes: string, country: unknown) => codes.split(' ').some((code) => code === country);

/** The kind of subdivision of a country; `other` where it is none of these, and when no country is chosen. */
export function stateKindOf(country: unknown): StateKind {
  const known = KINDS.find(([, ...codes]) => codes.some((some) => country !== '' && hasCode(some, country)));
  return known?.[0] ?? 'other';
}

/** Whether an address in a country needs a state; true while no country is chosen. */
export function needsState(country: unknown): boolean {
  return !country || KINDS.some(([, codes]) => hasCode(codes, country));
}
