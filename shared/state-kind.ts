/** What countries call their subdivisions in addresses. */
const KINDS = [
  ['state', 'AT BR DE IN MX MY NG US VE'],
  ['stateTerritory', 'AU'],
  ['province', 'AR BE CA CN CR CU DO EC ES ID IT KR LK NL PH PK TH TR VN ZA ZM'],
  ['county', 'EE GB HR HU IE KE NO RO SE TW'],
  ['prefecture', 'JP'],
  ['canton', 'CH'],
  ['region', 'CL DK ET FI FR GH NZ PE TZ'],
  ['department', 'BO CO GT HN HT NI PY SV UY'],
  ['district', 'BZ IL PT'],
  ['parish', 'AD AG BB DM GD JM VC'],
  ['governorate', 'EG IQ JO KW LB OM SY TN YE'],
  ['emirate', 'AE'],
  ['island', 'BS CV KI KN SC TV'],
  ['area', 'HK'],
] as const;

export type StateKind = (typeof KINDS)[number][0] | 'other';

/** The kind of subdivision of a country; `other` where it is none of these, and when no country is chosen. */
export function stateKindOf(country: unknown): StateKind {
  const known = KINDS.find(([, countries]) => countries.split(' ').some((code) => code === country));
  return known?.[0] ?? 'other';
}
