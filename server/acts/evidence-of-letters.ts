import { goesToOffice, letterName } from '#server/mail/job.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import { isLost } from '#server/record/bounce-mark.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { FoundJob } from './mail-jobs.ts';
import { utcMoment as moment } from './plain-words.ts';

/**
 * What is known about the letters to a registrant, the oldest first: from the queue, and of older ones
 * when they were sent.
 */
export function letterEvidence(record: RegistrationRecord, jobs: readonly FoundJob[]): readonly string[] {
  const letters = jobs.flatMap(({ letter, ...found }) =>
    letter && !goesToOffice(letter) ? [{ ...found, letter }] : [],
  );
  const known = letters
    .toSorted((one, other) => one.job.timestamp - other.job.timestamp)
    .map((found) => `${subjectOf(found.letter)}: ${deliveryWords(found)}`);
  const names = new Set<string>(
    letters.filter(({ state }) => state === 'sent').map(({ letter }) => letterName(letter)),
  );
  const older = record.endedLetters
    .filter((one) => one.state === 'sent' && !goesToOffice(one) && !names.has(letterName(one)))
    .map(({ kind, at }) => `${kind}: a mail server took it on ${moment(at)}`);
  const { noticed, bounced } = record;
  const told = noticed
    ? [
        `A mail server took the letter that announced the charge of the balance on ${moment(noticed.at)}.`,
        ...(isLost(noticed, bounced) ? ['It may not have arrived: letters to that address came back.'] : []),
      ]
    : ['No letter is on record that announced the charge of the balance.'];
  return [...older, ...known, ...told];
}

function subjectOf({ kind, address }: RecordedLetter): string {
  return address === '' ? kind : `${kind} to ${address}`;
}

function deliveryWords({ job, letter, state }: FoundJob): string {
  if (state === 'sent')
    return `a mail server took it on ${moment(letter?.endedAt ?? new Date(job.finishedOn ?? job.timestamp))}`;
  if (state === 'failed') return `it could not be delivered: ${job.failedReason || 'no reason is on record'}`;
  return 'it has not been sent yet';
}
