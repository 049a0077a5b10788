interface SumRowProps {
  label: string;
  sum: string;
  note?: string | undefined;
  /** Set for the open sum, or the total. */
  strong?: boolean;
}

/** A row of a list of sums: label, sum and note. */
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
