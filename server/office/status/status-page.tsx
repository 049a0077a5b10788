import type { Router } from 'express';
import { renderOfficeDocument } from '#server/office/office-document.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { Assets } from '#server/page/assets.ts';
import { signedInOf } from '#server/users/user.ts';
import type { StatusRecorder } from './recorder.ts';
import { StatusPage } from './status-document.tsx';

interface StatusDependencies {
  assets: Pick<Assets, 'officeStyle'>;
  statusRecorder: StatusRecorder;
}

/** `GET /office/status`, for support: it answers within 200 ms, also while Redis hangs. */
export function addStatusPage(router: Router, { assets, statusRecorder }: StatusDependencies): void {
  router.get(officePaths.status, async (_req, res) => {
    const { status, isFresh } = await statusRecorder.tell();
    const page = renderOfficeDocument({
      title: 'Status',
      style: assets.officeStyle,
      signedIn: signedInOf(res),
      children: <StatusPage status={status} isFresh={isFresh} history={statusRecorder.history} />,
    });
    res.set('Cache-Control', 'no-store').type('html').send(page);
  });
}
