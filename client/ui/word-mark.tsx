import type { MediaOutlet } from '#shared/content/entities.ts';

/** A neutral, typographic logo: the outlet's role in a character of its own. */
export function WordMark({ name, logo }: MediaOutlet) {
  return <span className={`word-mark word-mark--${logo}`}>{name}</span>;
}
