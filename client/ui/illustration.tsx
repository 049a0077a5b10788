import { createContext, useContext } from 'react';
import type { IllustrationName } from '#shared/content/entities.ts';

/** Where the build put each illustration. */
export type Illustrations = Readonly<Record<IllustrationName, string>>;

/** Known to the server only: no island shows an illustration. */
export const IllustrationAddresses = createContext<Illustrations | null>(null);

/** In pixels, which are also the units of the drawings. */
export const ILLUSTRATION_SIZE = { width: 640, height: 760 };

interface IllustrationProps {
  name: IllustrationName;
  /** What the picture shows. */
  alt: string;
  className: string;
}

/**
 * Shows the image that the content names, in the colours of the theme; it loads once a visitor comes near.
 * @throws {Error} where no `IllustrationAddresses` is provided
 */
export function Illustration({ name, alt, className }: IllustrationProps) {
  const addresses = useContext(IllustrationAddresses);
  if (!addresses) throw new Error(`The address of the illustration ${name} is not known`);
  return (
    <img
      className={`illustration ${className}`}
      src={addresses[name]}
      alt={alt}
      {...ILLUSTRATION_SIZE}
      loading="lazy"
      decoding="async"
    />
  );
}
