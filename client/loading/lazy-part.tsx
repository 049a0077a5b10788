import {
  Component,
  type ComponentType,
  lazy,
  type MouseEvent,
  type MouseEventHandler,
  type ReactNode,
  Suspense,
} from 'react';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/links.tsx';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { type Chunk, ChunkLoadError, loadChunk } from './load-chunk.ts';

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

interface PartFailedProps {
  error: unknown;
  again: boolean;
  onRetry: MouseEventHandler<HTMLElement>;
}

/**
 * Shown in place of a part of the page that failed. If it failed to load, a retry is offered. A page reload
 * is offered too where a retry may not help: after a failed retry or a timeout, since the part's own imports
 * may hang or be cached broken (see `loadAgain`), and when the server no longer has the part after a new
 * release. If the part failed to render, only a reload is offered.
 */
function PartFailed({ error, again, onRetry }: PartFailedProps) {
  const failure = error instanceof ChunkLoadError ? error.type : 'broken';
  return (
    <div className="part-failed" role="alert">
      {failure === 'broken' ? (
        <p>
          {lazyPartCopy.broken} <OfficePhoneLink />, <OfficeEmailLink />
        </p>
      ) : (
        <p>{failure === 'missing' ? lazyPartCopy.missing : lazyPartCopy.failed}</p>
      )}
      <div className="part-failed-choices">
        {(again || failure !== 'error') && (
          <button type="button" className="button" onClick={() => location.reload()}>
            {lazyPartCopy.reload}
          </button>
        )}
        {failure !== 'broken' && (
          <button type="button" className="button button--quiet" onClick={onRetry}>
            {lazyPartCopy.retry}
          </button>
        )}
      </div>
    </div>
  );
}
