import type { IRouter } from 'express';
import { causeOf } from '#server/http/app-error.ts';
import { readMessageLetters } from '#server/mail/messages.ts';
import { type CommandDependencies, createCommandPages } from '#server/office/commands/command-pages.tsx';
import { type EditionNow, findEditionNow } from '#server/office/commands/edition-command.ts';
import { retryAll } from '#server/office/commands/letter-commands.ts';
import { lettersIn, STATES } from '#server/office/commands/letters.ts';
import { announcing } from '#server/office/commands/subjects.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { officePaths } from '#server/office/paths.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { signedInOf } from '#server/users/user.ts';
import { registrationsOf } from '#server/worker/registration-list.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type EditionLetters, LettersPage } from './letters-page.tsx';
import { messageProgress, progressOf, readersOf } from './progress.ts';

const TITLE = 'Messages to everyone';
const FAILED_SHOWN = 50;

/**
 * The page of what the office announces to everyone who comes, of the progress of the letters, and of those that failed.
 */
export function addLettersPages(router: IRouter, dependencies: CommandDependencies): void {
  const { logger, audit, mailQueue } = dependencies;
  const { context, notices, send, addCommands } = createCommandPages(dependencies);

  router.get(officePaths.letters, async (req, res) => {
    try {
      const page = {
        letters: await readLetters(dependencies),
        failed: {
          count: await mailQueue.bullQueue.getFailedCount(),
          newest: await lettersIn(context, 'failed', FAILED_SHOWN),
        },
        token: signedInOf(res).token,
        notice: await notices.find(req.query.told),
      };
      send(res, 200, TITLE, <LettersPage {...page} />);
    } catch (error) {
      logger.warn({ err: causeOf(error) }, 'The messages to everyone cannot be shown');
      send(res, 503, TITLE, <NotNow />);
    }
  });
  router.post(officePaths.letters, async (_req, res) => {
    const { user } = signedInOf(res);
    try {
      const says = [await retryAll(context)];
      audit(user, 'retry-all');
      const told = await notices.keep({ heading: 'Try all failed messages again', says, by: user.name });
      res.redirect(303, told ? `${officePaths.letters}?told=${told}` : officePaths.letters);
    } catch (error) {
      audit(user, 'retry-all', { outcome: 'failed' });
      logger.warn({ err: causeOf(error) }, 'Failed letters could not be tried again');
      send(res, 503, TITLE, <NotNow />);
    }
  });
  addCommands(router, announcing);
}

function NotNow() {
  return (
    <p role="alert">
      What has been announced, and what has become of the messages, cannot be told now, because the site’s
      register or its memory (Redis) does not answer. Nothing is lost: messages that are due go out
      automatically once both answer. Please load this page again in a few minutes.
    </p>
  );
}

type LettersDependencies = Pick<OfficeDependencies, 'payments' | 'mailQueue' | 'now'>;

async function readLetters(dependencies: LettersDependencies): Promise<EditionLetters[]> {
  const read: EditionLetters[] = [];
  for (const edition of editions) {
    const records = await registrationsOf(dependencies.payments, edition);
    if (records.length > 0) read.push(await lettersOf(edition, records, dependencies));
  }
  return read;
}

async function lettersOf(
  edition: Edition,
  records: readonly RegistrationRecord[],
  dependencies: LettersDependencies,
): Promise<EditionLetters> {
  const current = await findEditionNow(edition, dependencies.payments, dependencies.now());
  const { announced, now } = current;
  const queue = dependencies.mailQueue.bullQueue;
  const toAll = async (kind: 'schedule-changed' | 'recordings', isTold: boolean) => ({
    ...(await readersOf(records, kind, edition, now, queue)),
    ...(isTold && { progress: await progressOf(records, kind, edition, announced, now, queue) }),
  });
  const { scheduleTold, recordings } = announced;
  const isScheduleTold =
    scheduleTold !== undefined && scheduleTold.revision >= edition.facts.calendar.revision;
  const isRecorded = edition.timetable.letters.recordings !== undefined;
  return {
    ...current,
    schedule: await toAll('schedule-changed', isScheduleTold),
    ...(isRecorded && { recordings: await toAll('recordings', recordings !== undefined) }),
    written: await writtenIn(current, records, dependencies),
  };
}

async function writtenIn(
  { messages }: EditionNow,
  records: readonly RegistrationRecord[],
  { payments, mailQueue }: LettersDependencies,
) {
  if (messages.length === 0) return [];
  const failed = new Set(await mailQueue.bullQueue.getRanges([...STATES.failed], 0, -1));
  const byId = new Map(records.map((record) => [record.id, record]));
  return Promise.all(
    messages.map(async (message) => ({
      message,
      progress: messageProgress(await readMessageLetters(payments, message.message), byId, failed),
    })),
  );
}
