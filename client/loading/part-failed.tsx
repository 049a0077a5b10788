import type { MouseEventHandler } from 'react';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/office-links.tsx';
import { lazyPartCopy } from '#shared/content/lazy-part.ts';
import { ChunkLoadError } from './load-chunk.ts';

interface PartFailedProps {
  error: unknown;
  /** Whether a retry has already failed. */
  again: boolean;
  onRetry: MouseEventHandler<HTMLElement>;
}

/**
 * Shown in place of a part of the page that failed. If it failed to load, a retry is offered. A page reload
 * is offered too where a retry may not help: after a failed retry or a timeout, since the part's own imports
 * may hang or be cached broken (see `loadAgain`), and when the server no longer has the part after a new
 * release. If the part failed to render, only a reload is offered.
 */
export function PartFailed({ error, again, onRetry }: PartFailedProps) {
  if (!(error instanceof ChunkLoadError)) return <PartBroken />;
  const missing = error.type === 'missing';
  const mayNeedReload = again || error.type !== 'error';
  return (
    <div className="part-failed" role="alert">
      <p>{missing ? lazyPartCopy.missing : lazyPartCopy.failed}</p>
      <div className="part-failed-choices">
        {mayNeedReload && <ReloadButton />}
        <button type="button" className="button button--quiet" onClick={onRetry}>
          {lazyPartCopy.retry}
        </button>
      </div>
    </div>
  );
}

function PartBroken() {
  return (
    <div className="part-failed" role="alert">
      <p>
        {lazyPartCopy.broken} <OfficePhoneLink />, <OfficeEmailLink />
      </p>
      <div className="part-failed-choices">
        <ReloadButton />
      </div>
    </div>
  );
}

function ReloadButton() {
  return (
    <button type="button" className="button" onClick={() => location.reload()}>
      {lazyPartCopy.reload}
    </button>
  );
}
