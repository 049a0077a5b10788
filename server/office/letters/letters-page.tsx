import type { IRouter } from 'express';
import type { RecordedLetter } from '#server/letters/letter-log.ts';
import { readMessages } from '#server/letters/messages.ts';
import { letterTable } from '#server/letters/table.ts';
import { DonePage } from '#server/office/commands/command-views.tsx';
import {
  type FoundLetter,
  type LetterNow,
  letterName,
  letterStates,
  lettersIn,
  retryAll,
} from '#server/office/commands/letters.ts';
import { addPage, type Office, readOrExplain } from '#server/office/office.ts';
import { DataTable, PressButton, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { LetterLinks, Trouble } from '#server/office/registration/timeline-section.tsx';
import { signedInOf } from '#server/office/users/user.ts';
import { moment, sentence } from '#server/office/words.ts';
import { findRegistrations, registrationsOf } from '#server/worker/registration-index.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';
import {
  type EditionLetters,
  lettersOf,
  Person,
  type Persons,
  ToEverybody,
  Written,
} from './to-everybody.tsx';

const TITLE = 'Messages';
const LISTED = 50;

/** What failed and why, what the office can say to many, what was sent to whom, and what became of its own words. */
export function addLettersPages(router: IRouter, office: Office): void {
  addPage(router, office, [officePaths.letters, TITLE], async (_req, res) => {
    return <LettersPage {...(await readAll(office))} token={signedInOf(res).token} />;
  });
  router.post(officePaths.letters, async (_req, res) => {
    const { user } = signedInOf(res);
    const says = await readOrExplain(office, res, TITLE, () => retryAll(office));
    office.audit(user, 'retry-all', says === undefined ? { outcome: 'failed' } : {});
    if (says === undefined) return;
    const subject = { name: TITLE, path: officePaths.letters, back: 'Back to the messages' };
    const done = <DonePage says={[says]} by={user.name} subject={subject} />;
    office.send(res, 200, 'Done: Try all failed messages again', done);
  });
}

/** Letters that ended, with the people whom these and others are about. */
async function readSent(office: Office, others: readonly string[]) {
  const { letterLog, payments, editions } = office;
  const sent = await letterLog.newest(LISTED);
  const subjects = new Set([...others, ...sent.map(({ subject }) => subject)]);
  return {
    sent,
    persons: await findRegistrations(payments, [...subjects]),
    messages: (await Promise.all(editions.map((edition) => readMessages(payments, edition)))).flat(),
  };
}
type Sent = Awaited<ReturnType<typeof readSent>>;

async function readAll(office: Office) {
  const { queue, payments, editions } = office;
  const [count, failed] = [await queue.getFailedCount(), await lettersIn(office, 'failed', LISTED)];
  const retreats: EditionLetters[] = [];
  for (const edition of editions) {
    const records = await registrationsOf(payments, edition);
    if (records.length > 0) retreats.push(await lettersOf(office, edition, records));
  }
  const unreached = retreats.flatMap(({ written }) =>
    written.flatMap((message) => [...message.failed, ...message.bounced]),
  );
  const others = [...failed.flatMap(({ letter }) => letter?.subject ?? []), ...unreached];
  return { ...(await readSent(office, others)), failed, count, retreats, now: office.now() };
}

function LettersPage({ retreats, token, ...letters }: Awaited<ReturnType<typeof readAll>> & Pressing) {
  return (
    <>
      {letters.count > 0 && <FailedSection {...letters} token={token} />}
      {retreats.map((one) => (
        <ToEverybody key={one.edition.facts.id} {...one} />
      ))}
      {retreats.length === 0 && (
        <p>
          Nobody has registered for a retreat yet. As soon as somebody has, you can write to everybody here.
        </p>
      )}
      <SentSection {...letters} />
      {retreats.map((one) => (
        <Written key={one.edition.facts.id} {...one} persons={letters.persons} token={token} />
      ))}
    </>
  );
}

interface Pressing {
  /** Of the session, for its forms. */
  token: string;
}

interface FailedProps extends Pick<Sent, 'persons' | 'messages'>, Pressing {
  /** The newest that failed for good, and how many there are in all. */
  failed: readonly FoundLetter[];
  count: number;
  now: Date;
}

function FailedSection({ failed, count, token, persons, messages, now }: FailedProps) {
  const nowOf = (found: FoundLetter): LetterNow => {
    const { letter } = found;
    return { found, name: letterName(letter, messages), record: persons.get(letter?.subject ?? ''), now };
  };
  return (
    <Section id="failed" title={count === 1 ? 'One message failed' : `${count} messages failed`}>
      <DataTable<FoundLetter>
        className="table table--stacked"
        columns={[
          ['To', ({ letter }) => <Whom letter={letter} persons={persons} />],
          ['Message', ({ letter }) => letterName(letter, messages)],
          ['Why', Why, 'plain'],
          ['What you can do', (found) => <LetterLinks now={nowOf(found)} />, 'plain'],
        ]}
        rows={failed}
      />
      {count > 1 && (
        <PressButton action={officePaths.letters} token={token}>
          Try all again
        </PressButton>
      )}
    </Section>
  );
}

function Why(found: FoundLetter) {
  const { attemptsMade = 0, finishedOn } = found.job ?? {};
  return (
    <>
      <Trouble {...found} />
      <span className="fine">
        {finishedOn && `${moment(new Date(finishedOn), { edition: onSale })}, after `}
        {attemptsMade === 1 ? 'one try' : `${attemptsMade} tries`}
      </span>
    </>
  );
}

function SentSection({ sent, persons, messages }: Sent) {
  return (
    <Section id="sent" title="What was sent last">
      {sent.length === 0 ? (
        <p>Nothing yet. Messages go out automatically as soon as somebody registers.</p>
      ) : (
        <DataTable<RecordedLetter>
          className="table table--stacked"
          columns={[
            ['To', (letter) => <Whom letter={letter} persons={persons} />],
            ['Message', (letter) => letterName(letter, messages)],
            [
              'State',
              ({ state, endedAt, owedAt, subject }) => {
                const when = moment(endedAt ?? owedAt, persons.get(subject) ?? { edition: onSale });
                return `${sentence(letterStates[state === 'owed' ? 'waiting' : state])}, ${when}`;
              },
            ],
          ]}
          rows={sent}
        />
      )}
    </Section>
  );
}

function Whom({ letter, persons }: { letter: RecordedLetter | undefined; persons: Persons }) {
  if (!letter) return 'Somebody';
  const { subject, address, kind } = letter;
  const who = persons.has(subject) && <Person id={subject} persons={persons} />;
  const { to } = letterTable[kind];
  if (to === 'office') return <>The office{who && <>, about {who}</>}</>;
  return (
    <>
      {who || address || 'Somebody'}
      {who && to === 'elsewhere' && address && <span className="fine">{address}</span>}
    </>
  );
}
