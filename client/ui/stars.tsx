const OUT_OF = 5;

/** A row of stars, read out as a rating. */
export function Stars({ count = OUT_OF }: { count?: number }) {
  return (
    <span className="stars" role="img" aria-label={`${count} out of ${OUT_OF} stars`}>
      {'★'.repeat(count)}
      <span className="stars-missing">{'★'.repeat(Math.max(0, OUT_OF - count))}</span>
    </span>
  );
}
