import type { ImageFile } from '#shared/content/entities.ts';

interface PhotographProps {
  of: ImageFile;
  /** What it shows; left out where it only decorates. */
  alt?: string;
  className?: string;
  /** Whether it belongs to the first view, which waits for it. */
  first?: boolean;
}

/** A picture that is a file. Until it has come, its place is kept, in a colour of its own. */
export function Photograph({ of: image, alt = '', className, first = false }: PhotographProps) {
  const { src, width, height, widths, tone } = image;
  return (
    <picture className={className ? `photograph ${className}` : 'photograph'}>
      {widths && <source type="image/avif" srcSet={widths.avif} sizes={widths.sizes} />}
      <img
        className={tone && `tone-${tone}`}
        src={src}
        srcSet={widths?.webp}
        sizes={widths?.sizes}
        alt={alt}
        width={width}
        height={height}
        {...(first ? { fetchPriority: 'high' } : { loading: 'lazy', decoding: 'async' })}
      />
    </picture>
  );
}
