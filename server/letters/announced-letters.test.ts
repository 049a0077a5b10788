import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isAnnounced, type KeptMailKind, MAIL_KINDS, mailJobId } from '#server/mail/job.ts';
import { endedLetter } from '#server/mail/letter-log.ts';
import { linksEndAt } from '#server/registration/links.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  recordWith,
} from '#server/testing/test-registrations.ts';
import { edition as january } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Announcements } from './announcements.ts';
import { allAnnounced, recordingsFor } from './retreat-letters.ts';
import { isSentOrDismissed, letterNow, lettersDue } from './table.ts';

const announcedKinds = MAIL_KINDS.filter(isAnnounced);

const DAY_MS = 24 * 60 * 60 * 1000;
const days = (date: Date, count: number) => new Date(date.getTime() + count * DAY_MS);
const before = (date: Date) => new Date(date.getTime() - 1);

const { recordings: from = '' } = january.timetable.letters;
const READY = new Date(from);
const ENDS = new Date(january.facts.endsAt);
const LINKS_END = linksEndAt(january.facts);
const TOLD = days(ENDS, -10);

/** The edition with this revision of its schedule. */
const revised = (revision: number): Edition => ({
  ...january,
  facts: { ...january.facts, calendar: { ...january.facts.calendar, revision } },
});
const { recordings: _, ...unrecordedLetters } = january.timetable.letters;
const unrecorded = { ...january, timetable: { ...january.timetable, letters: unrecordedLetters } };

const by = { at: TOLD, by: 'Anna' };
const url = 'https://videos.example.org/retreat';
const announced: Announcements = { scheduleTold: { ...by, revision: 2 }, recordings: { ...by, url } };
const edition = revised(2);
const paid = balance({ status: 'paid', tries: 1, paidAt: days(ENDS, -30) });
const cancel = { ...by, writtenAt: TOLD };

/** Which of the two letters are due; by default the registrant has paid everything. */
const cases: [due: KeptMailKind[], why: string, changes: Changes, now: Date, said?: Announcements][] = [
  [['schedule-changed'], 'it was announced', {}, TOLD],
  [['schedule-changed'], 'she owes the balance', { balances: [balance({})] }, TOLD],
  [['schedule-changed'], 'she disputes a charge, and may come', { disputed: true }, TOLD],
  [['schedule-changed'], 'until the retreat is over', {}, before(ENDS)],
  [
    ['schedule-changed'],
    'the schedule has changed once more since: the letter covers all changes',
    { edition: revised(3) },
    TOLD,
  ],
  [[], 'the retreat is over', {}, ENDS],
  [[], 'nothing was announced', {}, TOLD, {}],
  [[], 'this release does not know the schedule yet', { edition: revised(1) }, TOLD],
  [[], 'she paid after it was announced', { paidAt: TOLD }, TOLD],
  [['schedule-changed'], 'she paid the second before', { paidAt: before(TOLD) }, TOLD],
  [[], 'she has cancelled', { decisions: { cancel } }, before(ENDS)],
  [[], 'her cancellation is carried out', { cancelled: { at: TOLD, cents: 0, checkCents: 0 } }, before(ENDS)],
  [[], 'her deposit is not paid', { deposit: 'unpaid', depositCents: 0 }, TOLD],
  [['recordings'], 'they are ready', {}, READY],
  [['recordings'], 'until the links to her page end', {}, before(LINKS_END)],
  [['recordings'], 'she disputes a charge', { disputed: true }, READY],
  [['recordings'], 'she registered last of all', { paidAt: days(ENDS, -1) }, READY],
  [
    ['recordings'],
    'all of the balance was waived',
    { balances: [balance({})], decisions: { waived: { ...by, cents: 70_000 } } },
    READY,
  ],
  [[], 'it is not time yet', { paidAt: TOLD }, before(READY)],
  [[], 'the links to her page have ended', {}, LINKS_END],
  [[], 'nobody has said where they are', {}, READY, {}],
  [[], 'nothing is recorded', { edition: unrecorded }, READY],
  [[], 'she owes the balance after the retreat', { balances: [balance({})] }, READY],
  [[], 'she cancelled what was paid', { decisions: { cancel } }, READY],
  [[], 'her personal data were removed', { forgottenAt: TOLD }, READY],
];

/** The kinds of the due announcement letters only. */
function dueOf(changes: Changes, now: Date, said: Announcements | undefined): KeptMailKind[] {
  const record = recordWith({ edition, balances: [paid], customerId: 'cus_1', ...changes });
  return announcedKinds.filter((kind) => lettersDue(record, now, said).some((one) => one.kind === kind));
}

describe('the letters that the office sends to all', () => {
  for (const [due, why, changes, now, said = announced] of cases) {
    test(`R5.1 ${due.join(', ') || 'none'}: ${why}`, () => {
      assert.deepEqual(dueOf(changes, now, said), due);
      assert.deepEqual(dueOf(changes, now, undefined), [], 'without what was announced');
    });
  }

  test('R5.1 are sent once; again for a later schedule, but not for another address of the recordings', () => {
    for (const [, , changes, now, said = announced] of cases) {
      const record = recordWith({ edition, balances: [paid], customerId: 'cus_1', ...changes });
      const letters = announcedKinds.flatMap((kind) => letterNow(kind, record, now, said) ?? []);
      for (const state of ['sent', 'dismissed'] as const) {
        const endedLetters = letters.map((one) => endedLetter(one, state, now));
        assert.deepEqual(dueOf({ ...changes, endedLetters }, now, said), []);
      }
    }
    const told = (kind: KeptMailKind, said: Announcements, changes: Changes = {}) => {
      const now = kind === 'recordings' ? READY : TOLD;
      const record = recordWith({ edition: revised(3), balances: [paid], ...changes });
      return letterNow(kind, record, now, said) ?? assert.fail();
    };
    const next = { scheduleTold: { ...by, revision: 3 }, recordings: { ...by, url: `${url}/2` } };
    const ids = (kind: KeptMailKind) => [announced, next].map((said) => mailJobId(told(kind, said)));
    assert.equal(new Set(ids('schedule-changed')).size, 2);
    assert.equal(new Set(ids('recordings')).size, 1);
    const endedLetters = [endedLetter(told('schedule-changed', announced), 'sent', TOLD)];
    assert.equal(isSentOrDismissed(told('schedule-changed', next), recordWith({ endedLetters })), false);
  });

  test('R5.1 her page links to the recordings exactly when their letter is due', () => {
    fc.assert(
      fc.property(anyRecord, anyMoment, (one, now) => {
        const record = { ...one, edition };
        const letter = letterNow('recordings', record, now, announced);
        assert.equal(recordingsFor(record, now, announced), letter && url);
        if (letter) assert.equal(stateOf(record, now), 'settled');
      }),
    );
  });

  test('R5.1 a queued letter counts as announced, whichever revision of the schedule it names', () => {
    const record = recordWith({ edition: revised(3), balances: [paid], paidAt: BEGUN });
    for (const revision of [2, 3]) {
      const said = allAnnounced(record.edition, TOLD, revision);
      const letter = letterNow('schedule-changed', record, TOLD, said);
      assert.ok(letter?.kind === 'schedule-changed' && letter.revision === revision);
    }
  });
});
