import type { IRouter } from 'express';
import { pageSender } from '#server/office/office-document.tsx';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { officePaths } from '#server/office/paths.ts';

export function addTodayPage(router: IRouter, { assets }: OfficeDependencies): void {
  const send = pageSender(assets);
  router.get(officePaths.today, (_req, res) => send(res, 200, 'Today', <p>Nothing needs you.</p>));
}
