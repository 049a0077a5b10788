/** What this site sends, the best first. `identity` is the body as it is. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** As many headers as browsers and programs are known to send, many times over. */
const REMEMBERED_HEADERS = 100;

const remembered = new Map<string, readonly Encoding[]>();

/**
 * The encodings that a request takes, the preferred first; of those it likes equally, the smallest. Empty when it takes
 * none of ours.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding
 */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  const key = header ?? 'identity';
  const known = remembered.get(key);
  if (known) return known;
  const accepted = rank(parseQualities(key));
  if (remembered.size >= REMEMBERED_HEADERS) remembered.clear();
  remembered.set(key, accepted);
  return accepted;
}

function rank(qualities: ReadonlyMap<string, number>): readonly Encoding[] {
  const rest = qualities.get('*');
  const qualityOf = (encoding: Encoding): number => {
    const named = qualities.get(encoding) ?? rest;
    // Who names others and not this one likes it least, but takes it.
    return named ?? (encoding === 'identity' ? Number.MIN_VALUE : 0);
  };
  return encodings
    .filter((encoding) => qualityOf(encoding) > 0)
    .toSorted((one, other) => qualityOf(other) - qualityOf(one));
}

function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    if (name) qualities.set(name === 'x-gzip' ? 'gzip' : name, Number(quality) || 0);
  }
  return qualities;
}
