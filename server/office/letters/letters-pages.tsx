import type { IRouter } from 'express';
import { type Announcing, announcedPeople, findAnnouncing, letterProgress } from '#server/acts/announce.ts';
import { retryAllMails } from '#server/acts/letter-acts.ts';
import { jobsIn, STATES } from '#server/acts/mail-jobs.ts';
import { announceActs } from '#server/acts/office-acts.ts';
import { messageProgress } from '#server/acts/write-message.ts';
import { causeOf } from '#server/http/app-error.ts';
import { readMessageLetters } from '#server/mail/messages.ts';
import { type ActPagesDependencies, createActPages } from '#server/office/acts/act-pages.tsx';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { signedInOf } from '#server/users/user.ts';
import { registrationsOf } from '#server/worker/registration-list.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { type EditionLetters, LettersPage } from './letters-page.tsx';

const TITLE = 'Messages to everyone';
const FAILED_SHOWN = 50;

/**
 * The page of what the office announces to everyone who comes, of the progress of the letters, and of those that failed.
 */
export function addLettersPages(router: IRouter, dependencies: ActPagesDependencies): void {
  const { logger, audit, mailQueue } = dependencies;
  const { context, notices, send, addActs } = createActPages(dependencies);

  router.get(officePaths.letters, async (req, res) => {
    try {
      const page = {
        letters: await readLetters(dependencies),
        failed: {
          count: await mailQueue.bullQueue.getFailedCount(),
          newest: await jobsIn(context, 'failed', FAILED_SHOWN),
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
      const says = [await retryAllMails(context)];
      audit(user, 'retry-all');
      const told = await notices.keep({ heading: 'Try all failed messages again', says, by: user.name });
      res.redirect(303, told ? `${officePaths.letters}?told=${told}` : officePaths.letters);
    } catch (error) {
      audit(user, 'retry-all', { outcome: 'failed' });
      logger.warn({ err: causeOf(error) }, 'Failed letters could not be tried again');
      send(res, 503, TITLE, <NotNow />);
    }
  });
  addActs<Announcing, Edition>(router, {
    acts: announceActs,
    pathOf: officePaths.announce,
    async actable(req, res) {
      const edition = findEdition(String(req.params.key));
      if (!edition) {
        send(res, 404, 'There is no such retreat', <WayBack {...TO_LETTERS} />);
        return undefined;
      }
      try {
        return await findAnnouncing(edition, dependencies.payments, dependencies.now());
      } catch (error) {
        logger.warn({ err: causeOf(error) }, 'A page of the office was not shown');
        send(res, 503, 'The register does not answer', <Away />);
        return undefined;
      }
    },
    keyOf: ({ edition }) => edition.facts.id,
    of: ({ edition }) => edition,
    subjectOf: ({ edition }) => ({ name: edition.facts.title, ...TO_LETTERS }),
    factsOf: (edition) => ({ edition }),
  });
}

const TO_LETTERS = { path: officePaths.letters, back: 'Back to the messages to everyone' };

const Away = () => (
  <WayBack {...TO_LETTERS}>
    What has been announced cannot be told now, because the site’s register does not answer. Nothing was done.
    Please try again in a few minutes.
  </WayBack>
);

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
  const announcing = await findAnnouncing(edition, dependencies.payments, dependencies.now());
  const { announced, now } = announcing;
  const queue = dependencies.mailQueue.bullQueue;
  const toAll = async (kind: 'schedule-changed' | 'recordings', isTold: boolean) => ({
    ...(await announcedPeople(records, kind, edition, now, queue)),
    ...(isTold && { progress: await letterProgress(records, kind, edition, announced, now, queue) }),
  });
  const { scheduleTold, recordings } = announced;
  const isScheduleTold =
    scheduleTold !== undefined && scheduleTold.revision >= edition.facts.calendar.revision;
  const isRecorded = edition.timetable.letters.recordings !== undefined;
  return {
    ...announcing,
    schedule: await toAll('schedule-changed', isScheduleTold),
    ...(isRecorded && { recordings: await toAll('recordings', recordings !== undefined) }),
    written: await writtenIn(announcing, records, dependencies),
  };
}

async function writtenIn(
  { messages }: Announcing,
  records: readonly RegistrationRecord[],
  { payments, mailQueue }: LettersDependencies,
) {
  if (messages.length === 0) return [];
  const failed = new Set(await mailQueue.bullQueue.getRanges([...STATES.failed], 0, -1));
  const byDeposit = new Map(records.map((record) => [record.id, record]));
  return Promise.all(
    messages.map(async (message) => ({
      message,
      progress: messageProgress(await readMessageLetters(payments, message.message), byDeposit, failed),
    })),
  );
}
