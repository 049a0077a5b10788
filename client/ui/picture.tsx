import { drawings, illustrations } from '#shared/content/compiled/on-sale.ts';
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
  first?: boolean;
}

export function Picture({ of: { img, alt = '' }, className, first }: PictureProps) {
  if (typeof img === 'object') return <Photograph of={img} alt={alt} className={className} first={first} />;
  if (!isIllustration(img)) return <Art name={img} alt={alt} className={className} />;
  const { src, ...size } = illustrations[img];
  const classNames = `illustration illustration-${img} ${className}`;
  return <img className={classNames} src={src} alt={alt} {...size} loading="lazy" decoding="async" />;
}

const isIllustration = (name: PictureName): name is IllustrationName => String(name) in illustrations;

interface ArtProps {
  name: DrawingName | IconName;
  alt?: string;
  className?: string;
}

export function Art({ name, ...props }: ArtProps) {
  return <Drawing svg={drawings[name]} {...props} />;
}

interface PhotographProps {
  of: ImageFile;
  alt?: string;
  className?: string;
  /** Whether it belongs to the first view: then it is loaded with high priority. */
  first?: boolean | undefined;
}

export function Photograph({ of, alt = '', className = '', first }: PhotographProps) {
  const { src, width, height, sets } = of;
  const image = (names: string) => (
    <img
      className={names || undefined}
      src={src}
      srcSet={sets?.last}
      alt={alt}
      width={width}
      height={height}
      {...(first ? { fetchPriority: 'high' } : { loading: 'lazy', decoding: 'async' })}
    />
  );
  if (!sets) return image(className);
  return (
    <picture className={`photograph ${className}`}>
      <source type="image/avif" srcSet={sets.avif} />
      <source type="image/webp" srcSet={sets.webp} />
      {image('')}
    </picture>
  );
}

function Logo({ name, logo }: MediaOutlet) {
  if (typeof logo === 'string') return <span className={`word-mark word-mark--${logo}`}>{name}</span>;
  return <Photograph of={logo} alt={name} className="logo" />;
}

export function Outlets({ of, className }: { of: readonly MediaOutlet[]; className: string }) {
  return (
    <ul className={className}>
      {of.map((outlet) => (
        <li key={outlet.name}>
          <Logo {...outlet} />
        </li>
      ))}
    </ul>
  );
}

const OUT_OF = 5;
const STAR =
  'M8 1.2C8.9 3.6 9.6 4.9 10.2 5.3 10.9 5.7 12.5 5.6 14.9 6.1 13 7.7 12 8.8 11.9 9.6 11.8 10.4 12.3 11.9 12.5 14.3 10.4 13.1 8.9 12.5 8 12.5 7.1 12.5 5.6 13.1 3.5 14.3 3.7 11.9 4.2 10.4 4.1 9.6 4 8.8 3 7.7 1.1 6.1 3.5 5.6 5.1 5.7 5.8 5.3 6.4 4.9 7.1 3.6 8 1.200Z';

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
