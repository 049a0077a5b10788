import { typedText } from './typed-text.ts';

/** The states of the United States, with its District and territories, and the provinces and territories of Canada. */
const STATES: Readonly<Record<string, string>> = {
  US: `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,
    DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,
    LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,
    NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,
    OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,
    VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,AS American Samoa,GU Guam,
    MP Northern Mariana Islands,PR Puerto Rico,VI Virgin Islands,AA Armed Forces Americas,AE Armed Forces Europe,
    AP Armed Forces Pacific`,
  CA: `AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,NS Nova Scotia,
    NT Northwest Territories,NU Nunavut,ON Ontario,PE Prince Edward Island,QC Quebec,SK Saskatchewan,YT Yukon`,
};

const statesOf = (country: string): readonly (readonly [code: string, name: string])[] =>
  (STATES[country] ?? '')
    .split(',')
    .map((state) => state.trim())
    .map((state) => [state.slice(0, 2), state.slice(3)]);

/** As it is compared: `Québec` and `QUEBEC` are the same, and so are `D.C.` and `DC`. */
const comparable = (text: string): string =>
  typedText(text)
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase();

/** The two letters of a state or province of the US or Canada, from its name or its letters as somebody types them. */
export function stateCodeOf(country: string, typed: string): string | undefined {
  const wanted = comparable(typed);
  if (wanted === '') return undefined;
  return statesOf(country).find((names) => names.some((name) => comparable(name) === wanted))?.[0];
}

/** The name of a state by its two letters. */
export function stateNameOf(country: string, code: string): string | undefined {
  return statesOf(country).find(([own]) => own === code)?.[1];
}

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
