import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  addressDigest,
  linksEndAt,
  type RegistrationRecord,
  stateOf,
} from '#server/registration/registration.ts';
import { letterContext } from '#server/testing/sample-letters.ts';
import { assertNotSaid, assertSaid } from '#server/testing/test-letters.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  card,
  endedLetter,
  recordWith,
  refund,
} from '#server/testing/test-registrations.ts';
import { edition as january } from '#shared/content/compiled/january-2026.ts';
import type { Edition } from '#shared/content/edition.ts';
import { allAnnounced, isRoomMissing, recordingsOf, roomOpenFor } from './announcements.ts';
import type { AnnouncedToAll } from './letter-kind.ts';
import { type LetterName, lettersDue, lettersNow, traitOf } from './table.ts';

const { timetable, facts } = january;
const at = (moment: string) => new Date(`${moment}-08:00`);
const before = (moment: Date) => new Date(moment.getTime() - 1);
const act = { at: BEGUN, by: 'Anna' };
const cancel = { ...act, writtenAt: BEGUN };
const ENDS = new Date(facts.endsAt);
const READY = new Date(timetable.letters.recordings ?? '');
const LINKS_END = linksEndAt(facts);
const TOLD = at('2026-01-15T20:00');
const MORNING = at('2026-01-23T06:00');

/** The edition with this revision of its schedule. */
const revised = (revision: number): Edition => ({
  ...january,
  facts: { ...facts, calendar: { ...facts.calendar, revision } },
});
const edition = revised(2);
const settled: Changes = { balances: [balance({ status: 'paid', paidAt: at('2025-12-21T17:00') })] };
const toldToAll = { scheduleTold: { at: TOLD, revision: 2 }, recordings: { at: TOLD } };

/** The letters to all that are due; for the way in: its day, and whether the room is open to her. */
function dueAt(now: Date, changes: Changes = settled, announced: AnnouncedToAll = {}): string[] {
  const letters = lettersDue(recordWith({ edition, ...changes }), now, announced);
  return letters.flatMap((letter) => {
    if (!traitOf(letter.kind, 'toAll')) return [];
    const { subject } = letter.write(letterContext);
    const day = `${subject.split(': ')[1]}, ${letter.asksToPay ? 'owing' : 'open'}`;
    return letter.kind === 'way-in' ? day : letter.kind;
  });
}

describe('the letters to all', () => {
  for (const [due, from, until, announced] of [
    ['test-session', at('2026-01-14T06:00'), at('2026-01-15T18:00')],
    ['we begin on Thursday, January 22, open', at('2026-01-21T06:00'), at('2026-01-22T06:00')],
    ['Thursday, January 22, open', at('2026-01-22T06:00'), at('2026-01-22T19:00')],
    ['Friday, January 23, open', MORNING, at('2026-01-23T19:00')],
    ['Saturday, January 24, open', at('2026-01-24T06:00'), at('2026-01-24T19:00')],
    ['Sunday, January 25, open', at('2026-01-25T06:00'), at('2026-01-25T12:30')],
    ['recordings', READY, LINKS_END, { recordings: { at: TOLD } }],
  ] satisfies (readonly [string, Date, Date, AnnouncedToAll?])[])
    test(`R5.1 ${due}: due from ${from.toISOString()} until ${until.toISOString()}`, () => {
      for (const now of [from, before(until)]) assert.deepEqual(dueAt(now, settled, announced), [due]);
      const [early, over] = [before(from), until].map((now) => dueAt(now, settled, announced));
      assert.ok(!early?.includes(due) && !over?.includes(due));
    });

  const { recordings: _, ...unrecordedLetters } = timetable.letters;
  const unrecorded = { ...edition, timetable: { ...timetable, letters: unrecordedLetters } };
  const paidAt = at('2026-01-24T08:01');
  const waived = { decisions: { waived: { ...act, cents: 70_000 } } };
  const cases: [due: string, why: string, Changes, now: Date, announced?: AnnouncedToAll][] = [
    ['test-session', 'she owes', {}, at('2026-01-14T06:00')],
    ['test-session', 'she disputes a charge', { disputed: true }, at('2026-01-14T06:00')],
    ['Friday, January 23, owing', 'she owes', {}, MORNING],
    ['Saturday, January 24, owing', 'she paid her deposit late', { begunAt: paidAt, paidAt }, paidAt],
    ['', 'she owes and disputes a charge', { disputed: true }, MORNING],
    ['Friday, January 23, open', 'and owes nothing', { ...settled, disputed: true }, MORNING],
    ['', 'the welcome comes first', { isUnwelcomed: true }, MORNING],
    ['', 'the day is over', settled, at('2026-01-22T19:00')],
    ['', 'the next day has not come', settled, before(MORNING)],
    ['', 'the retreat is over', settled, at('2026-01-26T06:00')],
    ['schedule-changed', 'it was announced', settled, TOLD, toldToAll],
    ['schedule-changed', 'she owes', {}, TOLD, toldToAll],
    ['schedule-changed', 'she disputes a charge, and may come', { disputed: true }, TOLD, toldToAll],
    ['schedule-changed', 'until the retreat is over', {}, before(ENDS), toldToAll],
    ['schedule-changed', 'it changed once more', { edition: revised(3) }, TOLD, toldToAll],
    ['schedule-changed', 'she paid the second before', { paidAt: before(TOLD) }, TOLD, toldToAll],
    ['', 'she paid after it was announced', { paidAt: TOLD }, TOLD, toldToAll],
    ['', 'this release does not know the schedule yet', { edition: revised(1) }, TOLD, toldToAll],
    ['', 'the retreat is over', {}, ENDS, toldToAll],
    ['recordings', 'she disputes a charge', { ...settled, disputed: true }, READY, toldToAll],
    ['recordings', 'she came last of all', { ...settled, paidAt: before(ENDS) }, READY, toldToAll],
    ['recordings', 'all of the balance was waived', waived, READY, toldToAll],
    ['', 'she owes after the retreat', {}, READY, toldToAll],
    ['', 'nothing is recorded', { ...settled, edition: unrecorded }, READY, toldToAll],
    ['', 'nobody has said where the recordings are', settled, READY],
  ];
  for (const [due, why, changes, now, announced = {}] of cases)
    test(`R5.1 ${due || 'none'}: ${why}, ${now.toISOString()}`, () => {
      assert.deepEqual(dueAt(now, changes, announced), due ? [due] : []);
      if (!due) return;
      const letters = lettersDue(recordWith({ edition, ...changes }), now, announced);
      for (const state of ['sent', 'dismissed'] as const) {
        const endedLetters = letters.map((letter) => endedLetter(letter, now, state));
        // What she has paid meanwhile, or where the recordings are, makes no other letter.
        const since = { ...announced, recordings: { at: BEGUN } };
        for (const paid of [{}, settled])
          assert.deepEqual(dueAt(now, { ...changes, ...paid, endedLetters }, since), []);
      }
    });

  test('R5.1 are other ones for a later schedule, and for a test session at another hour', () => {
    const idOf = (kind: LetterName, of: Edition, now: Date, announced: AnnouncedToAll) =>
      lettersNow(kind, recordWith({ edition: of }), now, announced)[0]?.id ?? assert.fail();
    const testSession = { ...timetable.testSession, startsAt: '2026-01-15T17:00-08:00' };
    const moved = { ...edition, timetable: { ...timetable, testSession } };
    const newest = revised(3);
    const told = [2, 3].map((revision) => allAnnounced(newest, TOLD, revision));
    const schedules = told.map((announced) => idOf('schedule-changed', newest, TOLD, announced));
    const sessions = [edition, moved].map((of) => idOf('test-session', of, at('2026-01-14T09:00'), {}));
    for (const ids of [schedules, sessions]) assert.equal(new Set(ids).size, 2);
  });

  test('leave out the sessions that are over when they are written, and the breaks between them', () => {
    const wayIn = (clock: string) =>
      lettersNow('way-in', recordWith(settled), at(`2026-01-23T${clock}`))[0] ?? assert.fail();
    assertSaid(wayIn('09:44:59'), ['Movement and meditation']);
    assertNotSaid(wayIn('09:45'), /Movement and meditation/);
    assertSaid(wayIn('09:45'), ['Eating together', 'Breaks, with', 'Group sessions', 'Evening session']);
    assertNotSaid(wayIn('16:30'), /Eating together|Breaks|Group sessions/);
    assertSaid(wayIn('16:30'), ['Evening session']);
  });

  test('the office is told of a missing room from a week before the first until the retreat is over', () => {
    const [from, until] = [at('2026-01-07T06:00'), at('2026-01-26T00:00')];
    const moments = [before(from), from, before(until), until];
    const isMissing = moments.map((now) => isRoomMissing(january, {}, now));
    assert.deepEqual(isMissing, [false, true, true, false]);
    assert.equal(
      isRoomMissing(january, { room: { url: 'https://room.example', at: BEGUN, by: 'Anna' } }, from),
      false,
    );
  });

  test('R5.1 her page links to the recordings exactly when their letter is due', () => {
    const announced = { recordings: { at: TOLD } };
    fc.assert(
      fc.property(anyRecord, anyMoment, (record, now) => {
        const [letter] = lettersNow('recordings', record, now, announced);
        assert.equal(recordingsOf(record, now) === 'hers', letter !== undefined);
        if (letter) assert.equal(stateOf(record, now), 'settled');
      }),
    );
  });

  const whole = [refund(), refund({ id: 're_2', of: 'deposit', cents: 72_100 })];
  for (const [who, changes] of [
    ['who is cancelling', { decisions: { cancel } }],
    ['who has cancelled', { decisions: { cancel }, cancelled: { at: BEGUN, cents: 0, checkCents: 0 } }],
    ['whose deposit was given back', { refunds: whole }],
    ['whose deposit is not paid', { deposit: 'unpaid', depositCents: 0, paidAt: undefined }],
    ['whose deposit was closed', { deposit: 'closed', paidAt: undefined }],
    ['whose personal data were removed', { forgottenAt: BEGUN }],
  ] as const satisfies readonly [string, Changes][])
    test(`R5.1 none goes to a registrant ${who}, and her page does not lead to the room`, () => {
      const moments = [at('2026-01-14T06:00'), at('2026-01-21T06:00'), at('2026-01-24T09:00'), TOLD, READY];
      for (const now of moments) {
        assert.deepEqual(dueAt(now, { ...settled, ...changes }, toldToAll), []);
        if ('forgottenAt' in changes) continue;
        assert.equal(roomOpenFor(recordWith({ edition, ...settled, ...changes }), now), undefined);
      }
    });
});

describe('who pays by a payment plan', () => {
  const to = addressDigest('wilma@example.org');
  const firstDue = at('2025-12-21T17:00');
  const sums = { cents: 31_125, beforeFeeCents: 30_000 };
  const firstPaid = balance({ id: 'pi_part_1', number: 1, ...sums, status: 'paid', paidAt: firstDue });
  const [ahead, past] = [at('2026-01-24T17:00'), at('2026-01-20T17:00')];
  /** Her first part is paid, and she was told of the second one. */
  const paying = (dueAt: Date, { decisions, ...changes }: Changes = {}, paused = {}) => {
    const parts = [
      { number: 1, cents: 30_000, dueAt: firstDue },
      { number: 2, cents: 40_000, dueAt },
    ];
    return recordWith({
      agreement: { version: january.terms.version, digest: january.terms.digest, agreedAt: BEGUN },
      card,
      decisions: { plan: { ...act, parts, ...paused }, planAgreed: act, ...decisions },
      notices: [{ at: at('2026-01-02T17:00'), dueAt, cents: 41_500, to, number: 2 }],
      balances: [firstPaid],
      ...changes,
    });
  };
  const decline = { try: 1, at: past, code: 'generic_decline', card: 'pm_1', step: 1, next: ENDS };
  const declined = { balances: [firstPaid, balance({ id: 'pi_part_2', number: 2, tries: 1, decline })] };
  const tooLate = { notices: [{ at: past, dueAt: past, cents: 41_500, to, number: 2 }] };
  const onlyOncePaid = { edition: { ...january, plans: { roomWhilePaying: false, offered: [] } } };
  const { plans: _, ...withoutPlans } = january;
  const { planAgreed: __, ...notAgreed } = paying(ahead).decisions;
  for (const [who, record, isOpen] of [
    ['and has missed no part', paying(ahead), true],
    ['and is being charged a part at this moment', paying(MORNING), true],
    ['which the office has paused beyond a date', paying(past, {}, { paused: true }), true],
    ['and whose card was declined for a part', paying(past, declined), false],
    ['and was not told of a part in time', paying(past, tooLate), false],
    ['to which she has not agreed', { ...paying(ahead), decisions: notAgreed }, false],
    ['where the edition opens the room once all is paid', paying(ahead, onlyOncePaid), false],
    ['where the edition does not say so', paying(ahead, { edition: withoutPlans }), false],
    ['and has cancelled', paying(ahead, { decisions: { cancel } }), undefined],
  ] satisfies [string, RegistrationRecord, boolean | undefined][])
    test(`${who}: letter and page ${isOpen ? 'lead' : 'do not lead'} to the room`, () => {
      const [letter] = lettersNow('way-in', record, MORNING);
      const words = letter && JSON.stringify(letter.write(letterContext));
      assert.equal(words?.includes('Enter the room'), isOpen);
      assert.equal(roomOpenFor(record, MORNING), isOpen ? 'retreat' : undefined);
    });
});
