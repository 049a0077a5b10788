import type { ImageFile } from '#shared/content/entities.ts';

interface PhotographProps {
  of: ImageFile;
  /** What it shows; left out where it only decorates. */
  alt?: string;
  className?: string;
  /** Whether it belongs to the first view: then it is loaded with high priority. */
  first?: boolean;
}

/** A picture that is a file. Until it has loaded, a coloured area keeps its place. */
export function Photograph({ of, alt = '', className = '', first = false }: PhotographProps) {
  const { src, width, height, widths, tone } = of;
  const image = (names: string) => (
    <img
      className={names || undefined}
      src={src}
      srcSet={widths?.webp}
      sizes={widths?.sizes}
      alt={alt}
      width={width}
      height={height}
      {...(first ? { fetchPriority: 'high' } : { loading: 'lazy', decoding: 'async' })}
    />
  );
  if (!widths) return image(className);
  return (
    <picture className={`photograph ${className}`}>
      <source type="image/avif" srcSet={widths.avif} sizes={widths.sizes} />
      {image(tone ? `tone-${tone}` : '')}
    </picture>
  );
}
