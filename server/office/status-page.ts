import type { Router } from 'express';
import { measureInTime } from '#server/ops/mail-metrics.ts';
import { renderStatusPage } from '#server/ops/status-page.tsx';
import type { OfficeDependencies } from './office-dependencies.ts';
import { officePaths } from './paths.ts';

/** How things stand, for support. */
export function addStatusPage(router: Router, { users, probes, mailQueue }: OfficeDependencies): void {
  router.get(officePaths.status, users.require('support'), async (_req, res) => {
    const answers = Object.entries(probes).map(([name, probe]) => [name, probe()]);
    const status = {
      probes: Object.fromEntries(answers),
      uptimeSeconds: process.uptime(),
      mails: await measureInTime(mailQueue),
    };
    res.type('html').send(renderStatusPage(status));
  });
}
