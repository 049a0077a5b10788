import type { IllustrationName, Picture as PictureData, Pictured } from '#shared/content/entities.ts';
import { illustrations } from '#shared/content/entities.ts';
import { Art } from './art.tsx';
import { Illustration } from './illustration.tsx';
import { Photograph } from './photograph.tsx';

interface PictureProps {
  of: Pictured;
  className: string;
  /** Whether it belongs to the first view. */
  first?: boolean;
}

/** Shows the picture that the content names: a drawing of this site, or a file. */
export function Picture({ of: { img, alt = '' }, className, first = false }: PictureProps) {
  if (typeof img === 'object') return <Photograph of={img} alt={alt} className={className} first={first} />;
  return isIllustration(img) ? (
    <Illustration name={img} alt={alt} className={className} />
  ) : (
    <Art name={img} alt={alt} className={className} />
  );
}

function isIllustration(name: PictureData): name is IllustrationName {
  return illustrations.some((illustration) => illustration === name);
}
