import type { MediaOutlet } from '#shared/content/entities.ts';

/** An outlet's logo: its own file, or its name in a neutral lettering of this site. */
export function Logo({ name, logo }: MediaOutlet) {
  if (typeof logo === 'string') return <span className={`word-mark word-mark--${logo}`}>{name}</span>;
  const { src, width, height, quarters } = logo;
  return (
    <img
      className={`logo logo-${quarters}`}
      src={src}
      alt={name}
      width={width}
      height={height}
      loading="lazy"
      decoding="async"
    />
  );
}
