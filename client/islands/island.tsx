import type { ComponentPropsWithoutRef, ElementType } from 'react';
import type { REGISTER_SECTION_ID } from '#shared/page.ts';

/** The parts of the page that the browser hydrates. All else is HTML only: its code never reaches a browser. */
export type IslandId = 'menu' | 'schedule' | 'videos' | typeof REGISTER_SECTION_ID;

type IslandProps<Tag extends ElementType> = Omit<ComponentPropsWithoutRef<Tag>, 'as'> & {
  island: IslandId;
  as?: Tag;
};

/**
 * An element whose content the browser hydrates, as a React root of its own. Components that the server renders in it must
 * not call `useId`, which the server counts per page and the browser per island; each of its buttons and inputs needs an
 * `id`, by which an early press is found again (shared/head/head-script.ts).
 */
export function Island<Tag extends ElementType = 'div'>({ island, as, ...attributes }: IslandProps<Tag>) {
  const Container: ElementType = as ?? 'div';
  return <Container {...attributes} data-island={island} />;
}
