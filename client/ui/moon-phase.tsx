/** The lit part of a waxing moon, from a crescent to the full disc. */
const LIT_PARTS = [
  'M16 3A13 13 0 0 1 16 29 17 17 0 0 0 16 3Z',
  'M16 3A13 13 0 0 1 16 29Z',
  'M16 3A13 13 0 0 1 16 29 8 13 0 0 1 16 3Z',
  'M16 3A13 13 0 0 1 16 29 13 13 0 0 1 16 3Z',
] as const;

/** Decorates the items of a sequence: the moon, one phase fuller each time. */
export function MoonPhase({ index }: { index: number }) {
  return (
    <svg className="moon-phase" viewBox="0 0 32 32" aria-hidden="true">
      <circle className="moon-phase-disc" cx="16" cy="16" r="13" />
      <path className="moon-phase-lit" d={LIT_PARTS[index % LIT_PARTS.length]} />
    </svg>
  );
}
