import type { IRouter, Response } from 'express';
import type { Logger } from '#server/service/logger.ts';
import { findSignedIn } from '#server/users/user.ts';
import { officePaths } from './paths.ts';

/** The pages that show somebody's details, as the log calls them. */
const LOOKS: Readonly<Record<string, string>> = {
  today: officePaths.today,
  list: officePaths.list,
  spreadsheet: officePaths.csv,
  participants: officePaths.participants,
  'participants-csv': officePaths.participantsCsv,
  registration: `${officePaths.registration(':id')}{/:page}`,
  // Its preview says who has a place at the address that was typed.
  register: officePaths.register(':edition', ':page'),
  letters: officePaths.letters,
  letter: officePaths.letterAct(':id', ':page'),
  'waiting-list': `${officePaths.waiting}{/:id/:page}`,
  bookkeeping: officePaths.bookkeeping,
  'bookkeeping-spreadsheet': officePaths.bookkeepingCsv,
};

const WHOM: Readonly<Record<string, string>> = { registration: 'registration', letter: 'mail' };

/**
 * Answers that show what was asked for: also a form that was not accepted, and an act that is not possible now. So does a
 * search that leads to whom it found.
 */
const SHOWING: readonly number[] = [200, 409, 422];

/** What was shown beside one person: how many rows, and whether they were searched for. */
interface Shown {
  rows?: number;
  search?: true | undefined;
}
const shown = new WeakMap<Response, Shown>();

/** Notes what an answer shows, for its line in the log. */
export function noteShown(res: Response, what: Shown): void {
  shown.set(res, what);
}

/**
 * Writes into the log who of the office looked at whom: ids only, never a name, an address or the words of a search.
 */
export function logLooks(router: IRouter, logger: Logger): void {
  for (const [look, path] of Object.entries(LOOKS))
    router.all(path, (req, res, next) => {
      const { id, page } = req.params;
      res.once('close', () => {
        const user = findSignedIn(res)?.user;
        const isShowing = SHOWING.includes(res.statusCode) || (res.statusCode === 303 && shown.has(res));
        if (!user || req.method === 'HEAD' || !res.headersSent || !isShowing) return;
        const whom = { ...(id && { [WHOM[look] ?? 'waiting']: id }) };
        const facts = { ...whom, ...(page && { page }), ...shown.get(res) };
        logger.info({ look, user: user.name, role: user.role, ...facts }, 'Look of a user');
      });
      next();
    });
}
