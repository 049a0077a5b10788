import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { describeWayIn } from '#shared/content/schedule.ts';
import { createRetreatCalendar } from './retreat-calendar.ts';

const PAGE_URL = 'https://retreat.example/';

interface ParsedCalendar {
  /** By name, parameters included: `DTSTART;TZID=America/Los_Angeles`. */
  calendar: Map<string, string>;
  events: Map<string, string>[];
  timeZones: string[];
}

/** Unfolds and reads the file as RFC 5545 says, independently of the code that wrote it. */
function parse(content: string): ParsedCalendar {
  const parsed: ParsedCalendar = { calendar: new Map(), events: [], timeZones: [] };
  const open: string[] = [];
  for (const line of content
    .replaceAll(/\r\n[ \t]/g, '')
    .split('\r\n')
    .slice(0, -1)) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? [];
    assert.ok(name, `not a content line: ${line}`);
    if (name === 'BEGIN') open.push(value);
    if (line === 'BEGIN:VEVENT') parsed.events.push(new Map());
    if (name === 'END') assert.equal(open.pop(), value);
    if (open.at(-1) === 'VEVENT') parsed.events.at(-1)?.set(name, value);
    if (open.at(-1) === 'VTIMEZONE' && name === 'TZID') parsed.timeZones.push(value);
    if (open.length === 1) parsed.calendar.set(name, value);
  }
  assert.deepEqual(open, []);
  return parsed;
}

/** The plain text of a value that RFC 5545 escapes. */
const unescaped = (text = '') => text.replaceAll(/\\([,;\\])/g, '$1');

const { timetable } = edition;
const sessions = [timetable.testSession, ...timetable.sessions];
const { content } = createRetreatCalendar(edition, PAGE_URL);
const { calendar, events, timeZones } = parse(content);

describe('the calendar file', () => {
  test('R1.6 R9 has one event for each session, the test session first, with hours in the retreat’s time zone, which it defines', () => {
    const start = `DTSTART;TZID=${timetable.timeZone.id}`;
    const end = `DTEND;TZID=${timetable.timeZone.id}`;
    const local = (time: string) => `${time.replaceAll(/[-:]/g, '')}00`;
    assert.deepEqual(
      events.map((event) => [event.get(start), event.get(end)]),
      sessions.map((session) => [local(session.start), local(session.end)]),
    );
    assert.deepEqual([events[0]?.get(start), events[0]?.get(end)], ['20260115T173000', '20260115T180000']);
    assert.equal(events[1]?.get(start), '20260122T173000');
    assert.deepEqual(timeZones, [timetable.timeZone.id]);
    assert.match(content, /TZOFFSETFROM:-0800\r\nTZOFFSETTO:-0700/);
  });

  test('R1.6 R9 each event says what it is, how and when she gets in, and that its end is approximate', () => {
    assert.deepEqual(
      events.slice(0, 2).map((event) => event.get('SUMMARY')),
      ['The Doorway Retreat: Test session', 'The Doorway Retreat: Opening session'],
    );
    const wayIn = describeWayIn(timetable).replaceAll('\u00a0', ' ');
    for (const event of events) {
      assert.match(event.get('DESCRIPTION') ?? '', /End times are approximate.*\\nhttps:/);
      assert.ok(unescaped(event.get('DESCRIPTION')).includes(wayIn));
      assert.equal(event.get('URL;VALUE=URI'), PAGE_URL);
      assert.match(event.get('DTSTAMP') ?? '', /^\d{8}T\d{6}Z$/);
    }
  });

  test('R1.6 R9 each event says whether its session is recorded; small groups and the test session are not', () => {
    const isSaid = (words: RegExp) => events.map((event) => words.test(unescaped(event.get('DESCRIPTION'))));
    const all = [timetable.testSession, ...timetable.sessions];
    const isRecorded = all.map(({ id }) => !/test|groups/.test(id));
    assert.deepEqual(isSaid(/This session is recorded, audio and video\./), isRecorded);
    assert.deepEqual(
      isSaid(/This session is not recorded\./),
      isRecorded.map((recorded) => !recorded),
    );
  });

  test('R1.6 the location of an event is no web page: it says when the link to the room comes', () => {
    const places = events.map((event) => unescaped(event.get('LOCATION')));
    const others = timetable.sessions.map(() => 'Online; your link comes by e-mail on January 21');
    assert.deepEqual(places, ['Online; your link comes by e-mail on January 14', ...others]);
  });

  test('R9 the calendar is published under a name of its own', () => {
    assert.equal(calendar.get('VERSION'), '2.0');
    assert.equal(calendar.get('METHOD'), 'PUBLISH');
    assert.match(calendar.get('PRODID') ?? '', /^-\/\/The Doorway Retreat\/\/.+\/\/EN$/);
  });

  test('R9 ids are unique, and stay the same whatever the site’s address', () => {
    const ids = (file: ParsedCalendar) => file.events.map((event) => event.get('UID'));
    assert.equal(new Set(ids({ calendar, events, timeZones })).size, sessions.length);
    assert.deepEqual(
      ids(parse(createRetreatCalendar(edition, 'https://other.example/').content)),
      ids(parse(content)),
    );
    assert.equal(events[1]?.get('UID'), 'january-2026-thursday-opening@the-doorway-retreat');
  });

  test('R9 lines end in CRLF and hold 75 octets at most', () => {
    assert.ok(content.endsWith('END:VCALENDAR\r\n'));
    assert.doesNotMatch(content.replaceAll('\r\n', ''), /[\r\n]/);
    for (const line of content.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
  });

  test('R9 has the same bytes, whatever time zone the server runs in', (t) => {
    const { TZ } = process.env;
    t.after(() => {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    });
    for (const zone of ['Asia/Tokyo', 'America/St_Johns']) {
      process.env.TZ = zone;
      assert.equal(
        new Date('2026-01-22T00:00Z').getUTCHours() === new Date('2026-01-22T00:00Z').getHours(),
        false,
      );
      assert.equal(createRetreatCalendar(edition, PAGE_URL).content, content);
    }
  });
});
