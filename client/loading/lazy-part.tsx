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
 * A part of the page that loads when it is shown. When it does not come, or breaks, the visitor is told so and may try
 * again (R7.1). It stands within an element that can be focused.
 */
export class LazyPart extends Component<LazyPartProps, LazyPartState> {
  override state: LazyPartState = { Part: partOf(this.props.chunk), failure: null, retries: 0 };

  static getDerivedStateFromError(error: unknown): Partial<LazyPartState> {
    return { failure: { error } };
  }

  retry = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    // The button goes; the focus stays near.
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

/** What is there already is shown at once: React lets a fallback stand for 300 ms at least. */
function partOf(chunk: LazyPartProps['chunk']): ComponentType {
  return chunk.module?.default ?? lazy(() => loadChunk(chunk));
}
