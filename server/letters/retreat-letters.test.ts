import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter, letterContext } from '#scripts/world/letters.ts';
import { addressDigest, type MailJob, mailJobId, mailVersion } from '#server/mail/job.ts';
import { endedLetter } from '#server/mail/letter-log.ts';
import { assertNotSaid, assertSaid, plainWords, readings } from '#server/testing/test-letters.ts';
import {
  BEGUN,
  balance,
  type Changes,
  card,
  recordWith,
  refund,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { composeMessage } from './compose-message.ts';
import type { AnnouncedToAll } from './letter-kind.ts';
import { isRoomMissing, roomlessMoments, roomOpenFor } from './retreat-letters.ts';
import { letterNow, lettersDue } from './table.ts';

const { timetable } = edition;
const at = (moment: string) => new Date(`${moment}-08:00`);
const before = (moment: Date) => new Date(moment.getTime() - 1);
const act = { at: BEGUN, by: 'Anna' };
const settled: Changes = { balances: [balance({ status: 'paid', paidAt: at('2025-12-21T17:00') })] };

const room = { room: { at: BEGUN } };

/** The letters during the retreat that are due; for the way in: its day, and whether it is open to her. */
function dueAt(now: Date, changes: Changes = settled, announced: AnnouncedToAll = room): string[] {
  return lettersDue(recordWith(changes), now, announced).flatMap((letter) => {
    if (letter.kind !== 'test-session' && letter.kind !== 'way-in') return [];
    const words = letter.kind === 'way-in' ? [letter.day, letter.isOpen ? 'open' : 'owing'] : [letter.kind];
    return [[...words, ...(letter.isRoomless ? ['without a room'] : [])].join(' ')];
  });
}

describe('while nobody has said where the room is', () => {
  const roomless = (moment: string, changes: Changes = settled) => dueAt(at(moment), changes, {});

  test('its letters wait, and go out at the latest an hour before their session, saying so', () => {
    for (const [from, until, due] of [
      ['2026-01-14T06:00', '2026-01-15T16:30', 'test-session'],
      ['2026-01-22T06:00', '2026-01-22T16:30', '2026-01-22 open'],
      ['2026-01-23T06:00', '2026-01-23T07:30', '2026-01-23 open'],
      ['2026-01-24T06:00', '2026-01-24T07:30', '2026-01-24 open'],
      ['2026-01-25T06:00', '2026-01-25T07:30', '2026-01-25 open'],
    ] as const) {
      assert.deepEqual(roomless(from), []);
      assert.deepEqual(dueAt(before(at(until)), settled, {}), []);
      assert.deepEqual(roomless(until), [`${due} without a room`]);
      assert.deepEqual(dueAt(at(until)), [due], 'once there is one');
      assert.ok(roomlessMoments(timetable).some((moment) => moment.getTime() === at(until).getTime()));
    }
    assert.deepEqual(roomless('2026-01-23T07:30', {}), ['2026-01-23 owing without a room']);
  });

  test('the letter of the day before, which has no session, gives way to that of the first morning', () => {
    for (const moment of ['2026-01-21T06:00', '2026-01-21T23:59']) assert.deepEqual(roomless(moment), []);
  });

  test('a letter that went out without a room does not go out again once there is one', () => {
    const now = at('2026-01-15T16:30');
    const told = letterNow('test-session', recordWith(settled), now, {}) ?? assert.fail();
    const endedLetters = [endedLetter(told, 'sent', now)];
    assert.deepEqual(dueAt(now, { ...settled, endedLetters }), []);
  });

  test('the office is to be told from a week before the first of its letters until the retreat is over', () => {
    const [from, until] = [at('2026-01-07T06:00'), at('2026-01-26T00:00')];
    const isMissing = (now: Date, announced = {}) => isRoomMissing(edition, announced, now);
    assert.deepEqual(
      [before(from), from, before(until), until].map((now) => isMissing(now)),
      [false, true, true, false],
    );
    assert.equal(isMissing(from, room), false);
  });
});

describe('the letter about the test session', () => {
  test('is due from its moment until the session has ended, also if she still owes the balance', () => {
    const [from, until] = [at('2026-01-14T06:00'), at('2026-01-15T18:00')];
    assert.deepEqual(
      [from, until].map(Number),
      [timetable.letters.testSession, timetable.testSession.endsAt].map(Date.parse),
    );
    for (const changes of [settled, {}, { disputed: true }]) {
      assert.deepEqual(dueAt(before(from), changes), []);
      assert.deepEqual(dueAt(from, changes), ['test-session']);
      assert.deepEqual(dueAt(before(until), changes), ['test-session']);
      assert.deepEqual(dueAt(until, changes), []);
    }
  });

  test('is sent again when the session moves to another hour', () => {
    const now = at('2026-01-14T09:00');
    const record = recordWith(settled);
    const told = letterNow('test-session', record, now, room);
    assert.ok(told);
    const endedLetters = [endedLetter(told, 'sent', now)];
    assert.deepEqual(dueAt(now, { ...settled, endedLetters }), []);
    const testSession = { ...timetable.testSession, startsAt: '2026-01-15T17:00-08:00' };
    const moved = { ...edition, timetable: { ...timetable, testSession } };
    assert.deepEqual(dueAt(now, { ...settled, endedLetters, edition: moved }), ['test-session']);
  });
});

describe('the way in', () => {
  for (const [day, from, until] of [
    ['2026-01-21', '2026-01-21T06:00', '2026-01-22T06:00'],
    ['2026-01-22', '2026-01-22T06:00', '2026-01-22T19:00'],
    ['2026-01-23', '2026-01-23T06:00', '2026-01-23T19:00'],
    ['2026-01-24', '2026-01-24T06:00', '2026-01-24T19:00'],
    ['2026-01-25', '2026-01-25T06:00', '2026-01-25T12:30'],
  ] as const) {
    test(`of ${day} is due from six o’clock until ${until}`, () => {
      const isDue = (now: Date) => dueAt(now).includes(`${day} open`);
      assert.deepEqual([before(at(from)), at(from), before(at(until)), at(until)].map(isDue), [
        false,
        true,
        true,
        false,
      ]);
    });
  }

  test('is due at most once at any moment, and not between the last session and the next morning', () => {
    assert.deepEqual(dueAt(at('2026-01-22T19:00')), []);
    assert.deepEqual(dueAt(before(at('2026-01-23T06:00'))), []);
    assert.deepEqual(dueAt(at('2026-01-26T06:00')), []);
    for (const { at: moment } of timetable.letters.wayIn) assert.equal(dueAt(new Date(moment)).length, 1);
  });

  test('is one letter a day, whatever she pays meanwhile, and states what is true when it is written', () => {
    const now = at('2026-01-23T07:00');
    const [owing, open] = [{}, settled].map((changes) => letterNow('way-in', recordWith(changes), now, room));
    assert.ok(owing?.kind === 'way-in' && open?.kind === 'way-in');
    assert.deepEqual([owing.isOpen, open.isOpen], [false, true]);
    assert.equal(mailVersion(owing), mailVersion(open));
    assert.equal(mailJobId(owing), mailJobId(open));
    const endedLetters = [endedLetter(owing, 'sent', now)];
    assert.deepEqual(dueAt(now, { ...settled, endedLetters }), []);
    assert.deepEqual(dueAt(at('2026-01-24T06:00'), { ...settled, endedLetters }), ['2026-01-24 open']);
  });

  test('keeps its local hour when the clocks change the night before', () => {
    const day = (date: string, offset: string, entries = timetable.days[1]?.entries ?? []) => ({
      day: {
        date,
        entries: entries.map(({ session, ...rest }) => ({
          ...rest,
          ...(session && { session: { ...session, endsAt: `${date}T19:00${offset}` } }),
        })),
      },
      letter: { day: date, at: `${date}T06:00${offset}` },
    });
    const [first, second] = [day('2026-03-07', '-08:00'), day('2026-03-08', '-07:00')];
    const letters = { ...timetable.letters, wayIn: [first.letter, second.letter] };
    const spring = { ...edition, timetable: { ...timetable, days: [first.day, second.day], letters } };
    const due = (moment: string) => dueAt(new Date(moment), { ...settled, edition: spring });
    assert.deepEqual(due('2026-03-08T12:59:59.999Z'), []);
    assert.deepEqual(due('2026-03-08T13:00:00Z'), ['2026-03-08 open']);
    assert.deepEqual(due('2026-03-09T02:00:00Z'), []);
  });

  test('is only the current day’s for a registrant who paid her deposit late', () => {
    const late = { begunAt: at('2026-01-24T08:00'), paidAt: at('2026-01-24T08:01') };
    assert.deepEqual(dueAt(at('2026-01-24T08:01'), late), ['2026-01-24 owing']);
  });

  test('comes after the welcome', () => {
    const now = at('2026-01-24T08:01');
    const changes = { isUnwelcomed: true } as const;
    assert.deepEqual(dueAt(now, changes), []);
    const welcome = letterNow('welcome', recordWith(changes), now) ?? assert.fail();
    for (const state of ['sent', 'dismissed'] as const) {
      const endedLetters = [endedLetter(welcome, state, now)];
      assert.deepEqual(dueAt(now, { ...changes, endedLetters }), ['2026-01-24 owing']);
    }
  });
});

describe('who pays by a payment plan', () => {
  const morning = at('2026-01-23T06:00');
  const to = addressDigest('wilma@example.org');
  const { version, digest } = edition.terms;
  const partsUntil = (lastDueAt: Date) => [
    { number: 1, cents: 30_000, dueAt: at('2025-12-21T17:00') },
    { number: 2, cents: 40_000, dueAt: lastDueAt },
  ];
  const firstPaid = balance({
    id: 'pi_part_1',
    number: 1,
    cents: 31_125,
    beforeFeeCents: 30_000,
    status: 'paid',
    paidAt: at('2025-12-21T17:00'),
  });
  /** Her first part is paid, and she was told of the second one. */
  const paying = (lastDueAt: Date, decisions: Changes['decisions'] = {}, changes: Changes = {}) => {
    const parts = partsUntil(lastDueAt);
    return recordWith({
      agreement: { version, digest, agreedAt: BEGUN },
      card,
      decisions: { plan: { ...act, parts }, planAgreed: act, ...decisions },
      notices: [{ at: at('2026-01-02T17:00'), dueAt: lastDueAt, cents: 41_500, to, number: 2 }],
      balances: [firstPaid],
      ...changes,
    });
  };
  const [ahead, past] = [at('2026-01-24T17:00'), at('2026-01-20T17:00')];
  const plan = { ...act, parts: partsUntil(past) };
  const declined = {
    balances: [
      firstPaid,
      balance({
        id: 'pi_part_2',
        number: 2,
        tries: 1,
        decline: {
          try: 1,
          at: past,
          code: 'generic_decline',
          card: 'pm_1',
          step: 1,
          next: at('2026-01-26T17:00'),
        },
      }),
    ],
  };
  const tooLate = { at: past, dueAt: past, cents: 41_500, to, number: 2 };
  const { planAgreed: _, ...withoutAgreement } = paying(ahead).decisions;
  const notAgreed = { ...paying(ahead), decisions: withoutAgreement };
  const onlyOncePaid = { ...edition, plans: { roomWhilePaying: false, offered: [] } };
  const { plans: __, ...withoutPlans } = edition;
  for (const [who, record, isOpen] of [
    ['and has missed no part', paying(ahead), true],
    ['and is being charged a part at this moment', paying(morning), true],
    ['which the office has paused beyond a date', paying(past, { plan: { ...plan, paused: true } }), true],
    ['and whose card was declined for a part', paying(past, {}, declined), false],
    ['and was not told of a part in time', paying(past, {}, { notices: [tooLate] }), false],
    ['to which she has not agreed', notAgreed, false],
    [
      'where the edition opens the room once all is paid',
      paying(ahead, {}, { edition: onlyOncePaid }),
      false,
    ],
    ['where the edition does not say so', paying(ahead, {}, { edition: withoutPlans }), false],
  ] as const)
    test(`${who}: letter and page ${isOpen ? 'lead' : 'do not lead'} to the room`, () => {
      const letter = letterNow('way-in', record, morning, room);
      assert.equal(letter?.isOpen, isOpen);
      assert.equal(roomOpenFor(record, morning), isOpen ? 'retreat' : undefined);
    });

  test('and has cancelled: neither letter nor page leads to the room', () => {
    const record = paying(ahead, { cancel: { ...act, writtenAt: BEGUN } });
    assert.equal(letterNow('way-in', record, morning, room), undefined);
    assert.equal(roomOpenFor(record, morning), undefined);
  });
});

describe('during the retreat no letter goes to a registrant', () => {
  const cancel = { ...act, writtenAt: BEGUN };
  const whole = [refund(), refund({ id: 're_2', of: 'deposit', cents: 72_100 })];
  for (const [who, changes] of [
    ['who is cancelling', { decisions: { cancel } }],
    ['who has cancelled', { decisions: { cancel }, cancelled: { at: BEGUN, cents: 0, checkCents: 0 } }],
    ['whose deposit was given back', { refunds: whole }],
    ['whose deposit is not paid', { deposit: 'unpaid' }],
    ['whose deposit was closed', { deposit: 'closed' }],
    ['whose personal data were removed', { forgottenAt: BEGUN }],
  ] as const satisfies readonly [string, Changes][]) {
    test(who, () => {
      const { paidAt: _, ...unpaid } = recordWith({ ...settled, ...changes });
      const record = 'deposit' in changes ? unpaid : recordWith({ ...settled, ...changes });
      for (const moment of ['2026-01-14T06:00', '2026-01-21T06:00', '2026-01-24T09:00']) {
        const kinds = lettersDue(record, at(moment), room).map(({ kind }) => kind);
        assert.ok(!kinds.some((kind) => kind === 'test-session' || kind === 'way-in'), kinds.join());
        if (record.forgottenAt) continue;
        assert.equal(roomOpenFor(record, at(moment)), undefined, 'her page links to the room');
      }
    });
  }

  test('who disputes a charge and owes the balance; if she owes nothing, she gets the way in', () => {
    const now = at('2026-01-23T06:00');
    assert.deepEqual(dueAt(now, { disputed: true }), []);
    assert.deepEqual(dueAt(now, { ...settled, disputed: true }), ['2026-01-23 open']);
  });
});

const testSession = letter('test-session');
const wayIn = letter('way-in');
const compose = (job: MailJob) => composeMessage(job, letterContext);

const eve = { ...wayIn, day: '2026-01-21', writtenAt: '2026-01-21T14:00:00.000Z' };
const owing = { ...wayIn, isOpen: false };

describe('the letter about the test session', () => {
  test('tells when it is on both clocks, what to try, and where the way in is', () => {
    assertSaid(testSession, [
      'Dear Wilma,',
      'Thursday, January 15, 2026, at 5:30 pm Pacific Time (for you Fri, Jan 16, 2:30 am)',
      'about 30 minutes',
      'Picture',
      'Sound',
      'The buttons',
      'The connection',
      'The way in is your own page.',
      'If you can’t make it, nothing is lost. We send the way into the retreat itself on Wednesday, January 21',
      letterContext.office.phone,
    ]);
    assertNotSaid({ ...testSession, timeZone: 'America/Vancouver' }, /for you/);
    assert.equal(compose(testSession).subject, 'Try it with us: the test session of The Doorway Retreat');
  });
});

describe('the letter with the way in', () => {
  test('tells the sessions of its day, and of no other, on both clocks', () => {
    assertSaid(wayIn, [
      'Friday, January 23: the way in',
      'Your own page leads to the room from now until the retreat is over',
      'Times are given in Pacific Time (PT) and in your own time, Central European Time.',
    ]);
    const [text] = readings(wayIn);
    for (const [clock, own, session] of [
      ['8:30 am PT', '5:30 pm', 'Movement and meditation'],
      ['10:30 am PT', '7:30 pm', 'Eating together'],
      ['3:00 pm PT', 'Sat, Jan 24, 12:00 am', 'Group sessions'],
      ['5:30 pm PT', 'Sat, Jan 24, 2:30 am', 'Evening session'],
    ] as const)
      assert.ok(text.includes(`- ${clock} (for you ${own}): ${session} (about`), `${session}\n\n${text}`);
    assert.match(text, /- Afternoon: Breaks/);
    assertNotSaid(wayIn, /Opening session|Closing session|Thursday|Sunday/);
    assertNotSaid({ ...wayIn, timeZone: '' }, /for you|your own time/);
    assertSaid({ ...wayIn, timeZone: '' }, ['All times are Pacific Time (PT).', '8:30 am PT']);
  });

  test('on the day before it tells when the retreat begins, and its first sessions', () => {
    assertSaid(eve, [
      'We begin on Thursday, January 22',
      'Thursday, January 22',
      '5:30 pm PT',
      'Opening session',
    ]);
    assertNotSaid(eve, /Eating together|Friday/);
  });

  test('leaves out the sessions that are over when it is written, and the breaks between them', () => {
    const at = (clock: string) => ({
      ...wayIn,
      writtenAt: new Date(`2026-01-23T${clock}-08:00`).toISOString(),
    });
    assertSaid(at('09:44:59'), ['Movement and meditation']);
    assertNotSaid(at('09:45'), /Movement and meditation/);
    assertSaid(at('09:45'), ['Eating together', 'Breaks, with', 'Group sessions', 'Evening session']);
    assertNotSaid(at('16:30'), /Eating together|Breaks|Group sessions/);
    assertSaid(at('16:30'), ['Evening session']);
  });

  test('tells a registrant who still owes so kindly, and never that her page already leads to the room', () => {
    for (const job of [owing, { ...eve, isOpen: false }]) {
      assertSaid(job, [
        'Before the room opens to you, one thing is left: your balance. Your own page shows what is left and how to pay it, and leads to the room as soon as that is done.',
        'If a check is on its way, or money is tight right now, write to office@retreat.example or call',
        'We do not want you to miss a session over it.',
      ]);
      assertNotSaid(job, /leads to the room from now/);
      assertNotSaid({ ...job, isOpen: true }, /balance|left to pay/);
    }
  });

  test('names its day in the subject, on the retreat’s calendar', () => {
    assert.deepEqual(
      timetable.letters.wayIn.map(({ day }) => plainWords(compose({ ...wayIn, day }).subject)),
      [
        'The way into The Doorway Retreat: we begin on Thursday, January 22',
        'The way into The Doorway Retreat: Thursday, January 22',
        'The way into The Doorway Retreat: Friday, January 23',
        'The way into The Doorway Retreat: Saturday, January 24',
        'The way into The Doorway Retreat: Sunday, January 25',
      ],
    );
  });
});

test('while there is no room, a letter says where it will be and whom to call, and promises no link', () => {
  const roomless = [testSession, wayIn, owing].map((job) => ({ ...job, isRoomless: true as const }));
  for (const job of roomless) {
    assertSaid(job, [
      'The way in will be a button on your own page. It is not there yet: please open the page again shortly before we begin.',
      `If it is still missing then, call ${letterContext.office.phone}, and we will tell you how to come in.`,
    ]);
    assertNotSaid(job, /leads (?:there|to the room)/);
  }
  assertSaid({ ...owing, isRoomless: true }, ['one thing is left: your balance']);
});
