const OUT_OF = 5;
const STAR =
  'M8 1.2C8.9 3.6 9.6 4.9 10.2 5.3 10.9 5.7 12.5 5.6 14.9 6.1 13 7.7 12 8.8 11.9 9.6 11.8 10.4 12.3 11.9 12.5 14.3 10.4 13.1 8.9 12.5 8 12.5 7.1 12.5 5.6 13.1 3.5 14.3 3.7 11.9 4.2 10.4 4.1 9.6 4 8.8 3 7.7 1.1 6.1 3.5 5.6 5.1 5.7 5.8 5.3 6.4 4.9 7.1 3.6 8 1.200Z';

/** A row of stars, read out as a rating. */
export function Stars({ count = OUT_OF }: { count?: number }) {
  return (
    <svg
      className="stars"
      viewBox={`0 0 ${OUT_OF * 20 - 4} 16`}
      role="img"
      aria-label={`${count} out of ${OUT_OF} stars`}
    >
      {Array.from({ length: OUT_OF }, (_, star) => star).map((star) => (
        <path
          key={star}
          className={star < count ? undefined : 'stars-missing'}
          transform={`translate(${star * 20})`}
          d={STAR}
        />
      ))}
    </svg>
  );
}
