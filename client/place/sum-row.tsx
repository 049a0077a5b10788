interface SumRowProps {
  label: string;
  sum: string;
  note?: string | undefined;
  /** What is open, or the total. */
  strong?: boolean;
}

/** A sum with what it is, in a list of them. */
export function SumRow({ label, sum, note, strong }: SumRowProps) {
  return (
    <div className={strong ? 'place-sum place-sum--open' : 'place-sum'}>
      <dt>{label}</dt>
      <dd>
        <strong>{sum}</strong>
        {note && <span>{note}</span>}
      </dd>
    </div>
  );
}
