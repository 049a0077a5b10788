import type { IRouter } from 'express';
import { causeOf } from '#server/http/app-error.ts';
import { whyUnwritten } from '#server/letters/message.ts';
import { type Message, type MessageLetter, readMessageLetters, readMessages } from '#server/mail/messages.ts';
import type { CommandContext } from '#server/office/commands/command.ts';
import { DonePage } from '#server/office/commands/command-form.tsx';
import { type CommandDependencies, createCommandPages } from '#server/office/commands/command-pages.tsx';
import { findEditionNow } from '#server/office/commands/edition-command.ts';
import { retryAll } from '#server/office/commands/letter-commands.ts';
import { lettersIn } from '#server/office/commands/letters.ts';
import { announcing, TO_MESSAGES } from '#server/office/commands/subjects.ts';
import { officePaths } from '#server/office/paths.ts';
import type { RegistrationRecord } from '#server/registration/registration.ts';
import { signedInOf } from '#server/users/user.ts';
import { findRegistrations, registrationsOf } from '#server/worker/registration-index.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { ANNOUNCEMENTS, type EditionLetters, LettersPage, type WrittenMessage } from './letters-page.tsx';
import { readersOf } from './readers.ts';

const TITLE = 'Messages';
const RETRY_ALL = 'Try all failed messages again';
/** How many letters a page lists. */
const LISTED = 50;

/** The page of all messages: what failed, what was sent, what the office announces and writes to everybody. */
export function addLettersPages(router: IRouter, dependencies: CommandDependencies): void {
  const { logger, audit } = dependencies;
  const { context, send, addCommands } = createCommandPages(dependencies);

  router.get(officePaths.letters, async (req, res) => {
    const { before } = req.query;
    try {
      const page = await (typeof before === 'string' ? readSent(context, [], before) : readAll(context));
      send(res, 200, TITLE, <LettersPage {...page} token={signedInOf(res).token} />);
    } catch (error) {
      logger.warn({ err: causeOf(error) }, 'The messages cannot be shown');
      send(res, 503, TITLE, <NotNow />);
    }
  });
  router.post(officePaths.letters, async (_req, res) => {
    const { user } = signedInOf(res);
    try {
      const says = [await retryAll(context)];
      audit(user, 'retry-all');
      const subject = { name: TITLE, ...TO_MESSAGES };
      send(res, 200, `Done: ${RETRY_ALL}`, <DonePage says={says} by={user.name} subject={subject} />);
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
      What was sent, and what failed, cannot be told now, because the site’s register or its memory (Redis)
      does not answer. Nothing is lost: messages that are due go out automatically once both answer. Please
      load this page again in a few minutes.
    </p>
  );
}

/** Letters that ended, with the people whom these and others are about. */
async function readSent({ letterLog, payments }: CommandContext, others: readonly string[], before?: string) {
  const found = await letterLog.newest(LISTED + 1, before);
  const sent = found.slice(0, LISTED);
  const subjects = new Set([...others, ...sent.map(({ subject }) => subject)]);
  return {
    sent,
    older: found.length > LISTED ? sent.at(-1)?.id : undefined,
    persons: await findRegistrations(payments, [...subjects]),
    messages: (await Promise.all(editions.map((edition) => readMessages(payments, edition)))).flat(),
  };
}

async function readAll(context: CommandContext) {
  const [count, failed] = [await context.queue.getFailedCount(), await lettersIn(context, 'failed', LISTED)];
  const retreats: EditionLetters[] = [];
  for (const edition of editions) {
    const records = await registrationsOf(context.payments, edition);
    if (records.length > 0) retreats.push(await lettersOf(edition, records, context));
  }
  const written = retreats.flatMap((one) =>
    one.written.flatMap((message) => [message.failed, message.bounced]),
  );
  const others = [...failed.flatMap(({ letter }) => letter?.subject ?? []), ...written.flat()];
  return { ...(await readSent(context, others)), now: { failed, count, retreats } };
}

async function lettersOf(
  edition: Edition,
  records: readonly RegistrationRecord[],
  { payments, queue, now }: CommandContext,
): Promise<EditionLetters> {
  const current = await findEditionNow(edition, payments, now());
  const readers = await Promise.all(
    ANNOUNCEMENTS.map(({ command }) => readersOf(records, command.letters, edition, current.now)),
  );
  const failed = new Set(await queue.getRanges(['failed'], 0, -1));
  const written = current.messages.map(async (message) => {
    const letters = await readMessageLetters(payments, message.message);
    return progressOf(message, letters, new Map(records.map((record) => [record.id, record])), failed);
  });
  return { ...current, readers, written: await Promise.all(written) };
}

/**
 * What has become of the letters of a message; those not sent are not due any more, stopped or dismissed.
 * @param failed the ids of the letters that failed for good
 */
function progressOf(
  message: Message,
  letters: readonly MessageLetter[],
  records: ReadonlyMap<string, RegistrationRecord>,
  failed: ReadonlySet<string>,
): WrittenMessage {
  const owed = letters.filter(({ state }) => state === 'owed');
  const sent = letters.filter(({ state }) => state === 'sent');
  const hasFailed = owed.filter(({ id }) => failed.has(id));
  const cameBack = sent.filter(({ subject, endedAt }) => {
    const record = records.get(subject);
    if (!record?.bounced || whyUnwritten(record) !== 'bounced') return false;
    return endedAt !== null && record.bounced.at >= new Date(endedAt);
  });
  return {
    message,
    sent: sent.length,
    waiting: owed.length - hasFailed.length,
    notSent: letters.length - owed.length - sent.length,
    failed: hasFailed.map(({ subject }) => subject),
    bounced: cameBack.map(({ subject }) => subject),
  };
}
