import type { IllustrationName, Picture as PictureData, Pictured } from '#shared/content/entities.ts';
import { illustrations } from '#shared/content/entities.ts';
import { Art } from './art.tsx';
import { Illustration } from './illustration.tsx';

interface PictureProps {
  of: Pictured;
  className: string;
}

/** Shows the picture that the content names: a drawing of this site, or a file. */
export function Picture({ of: { img, alt = '' }, className }: PictureProps) {
  if (typeof img === 'object') {
    const { src, width, height, sources } = img;
    return (
      <picture className={className}>
        {sources.map((source) => (
          <source key={source.type} {...source} />
        ))}
        <img src={src} alt={alt} width={width} height={height} loading="lazy" decoding="async" />
      </picture>
    );
  }
  return isIllustration(img) ? (
    <Illustration name={img} alt={alt} className={className} />
  ) : (
    <Art name={img} alt={alt} className={className} />
  );
}

function isIllustration(name: PictureData): name is IllustrationName {
  return illustrations.some((illustration) => illustration === name);
}
