import { type ComponentType, lazy, Suspense } from 'react';
import type { Chunk } from './load-chunk.ts';
import { loadPatiently } from './load-patiently.ts';
import { onApproach } from './on-approach.ts';

/**
 * Stands for a section that the server rendered, until a visitor comes near: then its code loads, and React takes it
 * over. What is pressed before is kept, for the section to answer.
 */
export function hydratedLater(id: string, chunk: Chunk<{ default: ComponentType }>): ComponentType {
  const Section = lazy(async () => {
    await approached(id);
    return loadPatiently(chunk);
  });
  // Always the same element: React would throw the server's HTML away if it changed before the code is there.
  const boundary = (
    <Suspense>
      <Section />
    </Suspense>
  );
  return () => boundary;
}

function approached(id: string): Promise<void> {
  const approach = new AbortController();
  return new Promise((resolve) => {
    const end = (): void => {
      approach.abort();
      resolve();
    };
    onApproach(id, end, approach.signal);
  });
}
