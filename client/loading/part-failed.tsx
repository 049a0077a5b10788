import type { MouseEventHandler } from 'react';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/office-links.tsx';
import { lazyPartCopy } from '#shared/content/lazy-part.ts';
import { ChunkLoadError } from './load-chunk.ts';

interface PartFailedProps {
  error: unknown;
  /** Whether trying again has been of no help. */
  again: boolean;
  onRetry: MouseEventHandler<HTMLElement>;
}

/**
 * Stands in for a part of the page. One that did not come may be tried again, then reloaded: a browser goes on waiting
 * for what hangs, and keeps what it could not parse, if only the part's own imports did so. After a new release, when
 * the server no longer has the old one, and for one that breaks, only the page as a whole can help.
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
