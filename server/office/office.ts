import type { IRouter, Request, Response } from 'express';
import { createElement, type ReactNode } from 'react';
import type { Logger } from '#server/config/logger.ts';
import type { Database } from '#server/database/database.ts';
import type { DatabaseProbe } from '#server/database/open-database.ts';
import type { MailQueue } from '#server/letters/queue.ts';
import type { Audit } from '#server/office/users/user.ts';
import { causeOf } from '#server/web/app-error.ts';
import type { Assets } from '#server/web/assets.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { CommandContext } from './commands/command.ts';
import type { Send } from './office-document.tsx';
import { Unreadable } from './parts.tsx';

export interface Office extends CommandContext {
  assets: Assets;
  database: Database;
  mailQueue: MailQueue;
  registerProbe: Pick<DatabaseProbe, 'isWritable' | 'awaySince'>;
  logger: Logger;
  audit: Audit;
  send: Send;
  /** The one on sale first. */
  editions: readonly [Edition, ...Edition[]];
}

/** What a page shows; if it cannot be read, sends a page that says so, and returns undefined. */
export async function readOrExplain<Read>(
  { send, logger }: Pick<Office, 'send' | 'logger'>,
  res: Response,
  title: string,
  read: () => Promise<Read>,
): Promise<Read | undefined> {
  try {
    return await read();
  } catch (error) {
    logger.warn({ err: causeOf(error), page: title }, 'A page of the office cannot be read');
    return send(res, 503, title, createElement(Unreadable));
  }
}

/** Adds a page that is read anew for each look. */
export function addPage(
  router: IRouter,
  office: Pick<Office, 'send' | 'logger'>,
  [path, title]: readonly [path: string, title: string],
  read: (req: Request, res: Response) => Promise<ReactNode>,
): void {
  router.get(path, async (req, res) => {
    const page = await readOrExplain(office, res, title, () => read(req, res));
    if (page !== undefined && !res.headersSent) office.send(res, 200, title, page);
  });
}
