import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter, letterContext } from '#scripts/world/letters.ts';
import type { MailJob } from '#server/mail/job.ts';
import { assertNotSaid, assertSaid, plainWords, readings } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { composeMessage } from './compose-message.ts';

const testSession = letter('test-session');
const wayIn = letter('way-in');
const { timetable } = edition;
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
      'If you cannot come, nothing is lost. The way into the retreat itself comes on Wednesday, January 21',
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
      'Your own page leads to the room, from now until the retreat is over',
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
        'If a check is on its way, or this is difficult at the moment, write to office@retreat.example or call',
        'We do not want you to miss a session over it.',
      ]);
      assertNotSaid(job, /leads to the room, from now/);
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

  test('tells the hours of each zone, also of one whose offset is not in whole hours', () => {
    const zones = ['Europe/Berlin', 'America/Phoenix', 'Asia/Kathmandu'];
    const told = zones.map(
      (timeZone) => readings({ ...wayIn, day: '2026-01-25', writtenAt: eve.writtenAt, timeZone })[0],
    );
    for (const [index, own] of ['5:30 pm', '9:30 am', '10:15 pm'].entries())
      assert.ok(told[index]?.includes(`8:30 am PT (for you ${own})`), told[index]);
  });
});

test('while there is no room, a letter says where it will be and whom to call, and promises no link', () => {
  const roomless = [testSession, wayIn, owing].map((job) => ({ ...job, isRoomless: true as const }));
  for (const job of roomless) {
    assertSaid(job, [
      'The way in will be a button on your own page. It is not there yet: please open the page again shortly before we begin.',
      `If it is still missing then, call ${letterContext.office.phone}, and we tell you how to come in.`,
    ]);
    assertNotSaid(job, /leads (?:there|to the room)/);
  }
  assertSaid({ ...owing, isRoomless: true }, ['one thing is left: your balance']);
});
