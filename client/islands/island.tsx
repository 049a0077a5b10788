import type { ComponentPropsWithoutRef, ElementType } from 'react';
import type { IslandId } from './islands.ts';

type IslandProps<Tag extends ElementType> = Omit<ComponentPropsWithoutRef<Tag>, 'as'> & {
  /** Its entry in `islands`, whose component is the one child. */
  island: IslandId;
  as?: Tag;
};

/**
 * An element whose content the browser hydrates, as a React root of its own. Components that the server
 * renders in it must not call `useId`: the server counts ids per page, the browser per island.
 */
export function Island<Tag extends ElementType = 'div'>({ island, as, ...attributes }: IslandProps<Tag>) {
  const Container: ElementType = as ?? 'div';
  return <Container {...attributes} data-island={island} />;
}
