import type { IRouter, Request, Response } from 'express';
import * as v from 'valibot';
import { bookkeepingCsv, monthOf, tellBookkeeping } from '#server/acts/bookkeeping.ts';
import { month as givenMonth } from '#server/acts/given.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { officePaths } from '#server/office/paths.ts';
import { TOO_MANY_TRANSACTIONS } from '#server/payments/balance-changes.ts';
import type { Bookkeeping } from '#server/payments/bookkeeping.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { BookkeepingPage, Months, monthName } from './bookkeeping-page.tsx';

/** The whole answer stays below the minute for which proxies wait. */
const TIMEOUT_MS = 45_000;

const AWAY =
  'Stripe or the site’s register cannot be read now, and a part of the sums would be worse than none. Nothing is lost. Please load this page again in a few minutes. If that does not help, the site’s key may lack the permission to read balance transaction sources and payouts: please tell the person who looks after the site.';

interface BookkeepingDependencies extends Pick<OfficeDependencies, 'logger' | 'now'> {
  assets: Pick<OfficeDependencies['assets'], 'officeStyle'>;
  payments: Pick<OfficeDependencies['payments'], 'readBookkeeping'>;
}

/** The money that moved in a month, as a page and as a spreadsheet. */
export function addBookkeepingPages(
  router: IRouter,
  { assets, payments, logger, now }: BookkeepingDependencies,
): void {
  const send = pageSender(assets);
  const titleOf = (month: string) => `Bookkeeping: ${monthName(month)}`;
  /** By month, what is being read: who loads a page again waits for that. */
  const running = new Map<string, Promise<Bookkeeping>>();
  const readOnce = (month: string): Promise<Bookkeeping> => {
    const reading =
      running.get(month) ?? tellBookkeeping(payments, month).finally(() => running.delete(month));
    running.set(month, reading);
    return reading;
  };
  /** The month of the URL, with what moved in it; if that cannot be read, sends an answer that says so. */
  const read = async (req: Request, res: Response) => {
    const current = monthOf(now());
    const { month } = v.parse(v.object({ month: v.fallback(givenMonth, current) }), req.query);
    try {
      const books = await withTimeout(readOnce(month), TIMEOUT_MS);
      noteShown(res, { rows: books.rows.length });
      return { month, current, books };
    } catch (error) {
      logger.warn({ err: causeOf(error), month }, 'The bookkeeping of a month cannot be read');
      const isTooLong = error instanceof AppError && error.code === TOO_MANY_TRANSACTIONS;
      const page = (
        <>
          <Months month={month} current={current} />
          <p role="alert">{isTooLong ? error.message : AWAY}</p>
        </>
      );
      send(res, 503, titleOf(month), page);
      return undefined;
    }
  };
  router.get(officePaths.bookkeeping, async (req, res) => {
    const found = await read(req, res);
    if (found) send(res, 200, titleOf(found.month), <BookkeepingPage {...found} />);
  });
  router.get(officePaths.bookkeepingCsv, async (req, res) => {
    const found = await read(req, res);
    if (!found) return;
    res.set('Cache-Control', 'no-store').attachment(`bookkeeping-${found.month}.csv`);
    res.type('text/csv; charset=utf-8').send(bookkeepingCsv(found.books));
  });
}
