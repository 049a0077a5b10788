import { Component, type ComponentType, lazy, type MouseEvent, type ReactNode, Suspense } from 'react';
import { lazyPartCopy } from '#shared/content/lazy-part.ts';
import { type Chunk, loadChunk } from './load-chunk.ts';
import { PartFailed } from './part-failed.tsx';

interface LazyPartProps {
  chunk: Chunk<{ default: ComponentType }>;
}

interface LazyPartState {
  Part: ComponentType;
  failure: { error: unknown } | null;
  retries: number;
}

/**
 * A part of the page that loads when it is shown. If it fails to load or to render, it shows an error and
 * offers a retry or a reload (R7.1). It must be placed within a focusable element.
 */
export class LazyPart extends Component<LazyPartProps, LazyPartState> {
  override state: LazyPartState = { Part: partOf(this.props.chunk), failure: null, retries: 0 };

  static getDerivedStateFromError(error: unknown): Partial<LazyPartState> {
    return { failure: { error } };
  }

  retry = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    // The button is removed: move focus to the nearest focusable ancestor.
    currentTarget.parentElement?.closest<HTMLElement>('[tabindex]')?.focus();
    this.setState(({ retries }) => ({
      Part: partOf(this.props.chunk),
      failure: null,
      retries: retries + 1,
    }));
  };

  override render(): ReactNode {
    const { Part, failure, retries } = this.state;
    if (failure) return <PartFailed error={failure.error} again={retries > 0} onRetry={this.retry} />;
    return (
      <Suspense fallback={<p role="status">{lazyPartCopy.loading}</p>}>
        <Part />
      </Suspense>
    );
  }
}

/** A chunk that is already loaded is used directly: `lazy` would show its fallback for at least 300 ms. */
function partOf(chunk: LazyPartProps['chunk']): ComponentType {
  return chunk.module?.default ?? lazy(() => loadChunk(chunk));
}
