import { drawings } from '#shared/content/compiled/on-sale/drawings.ts';
import { illustrations } from '#shared/content/compiled/on-sale/illustrations.ts';
import type {
  DrawingName,
  IconName,
  IllustrationName,
  ImageFile,
  MediaOutlet,
  Pictured,
  Picture as PictureName,
} from '#shared/content/entities.ts';
import { Drawing } from './drawing.tsx';

interface PictureProps {
  of: Pictured;
  className: string;
  /** Whether it belongs to the first view. */
  first?: boolean;
}

/** Shows the picture that the content names: a drawing of this site, or a file. */
export function Picture({ of: { img, alt = '' }, className, first }: PictureProps) {
  if (typeof img === 'object') return <Photograph of={img} alt={alt} className={className} first={first} />;
  if (!isIllustration(img)) return <Art name={img} alt={alt} className={className} />;
  const { src, ...size } = illustrations[img];
  const classNames = `illustration ${className}`;
  return <img className={classNames} src={src} alt={alt} {...size} loading="lazy" decoding="async" />;
}

const isIllustration = (name: PictureName): name is IllustrationName => String(name) in illustrations;

interface ArtProps {
  name: DrawingName | IconName;
  /** What the picture shows; left out where it only decorates. */
  alt?: string;
  className?: string;
}

/** One of this site's drawings, by its name. */
export function Art({ name, ...props }: ArtProps) {
  return <Drawing svg={drawings[name]} {...props} />;
}

interface PhotographProps {
  of: ImageFile;
  /** What it shows; left out where it only decorates. */
  alt?: string;
  className?: string;
  /** Whether it belongs to the first view: then it is loaded with high priority. */
  first?: boolean | undefined;
}

/** A picture that is a file. Until it has loaded, a coloured area keeps its place. */
export function Photograph({ of, alt = '', className = '', first }: PhotographProps) {
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
