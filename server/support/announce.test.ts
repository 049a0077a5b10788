import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cleanUp } from '#server/testing/clean-up.ts';
import { startSupport } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const EDITION = edition.facts.id;
const url = 'https://videos.example.org/retreat';
const ANNA = ['--by', 'Anna'];

describe('the office announces something to all, by command', () => {
  test('R5.1 the recordings: a dry run shows the letter, then it is done; the same address is refused later', async (t) => {
    const { run, payments } = await startSupport(t, { startsAt: new Date('2026-01-26T17:00:00Z') });
    const tried = await run('announce-recordings', EDITION, url, ...ANNA, '--dry-run');
    assert.equal(tried.code, 0, tried.err);
    assert.match(tried.out, /Nobody gets a letter, from Jan 27, 2026, 9:00 AM PST on/);
    assert.match(tried.out, /^ {2}\| Subject: The recordings of .* are ready$/m);
    assert.match(tried.out, /^ {2}\| - Thursday, January 22: Opening session \(video\)$/m);
    assert.match(tried.out, /Only tried: nothing was changed\.\n$/);
    assert.deepEqual(await payments.readAnnouncements(edition), {});
    const done = await run('announce-recordings', EDITION, url, ...ANNA);
    assert.match(done.out, /Recorded for Anna\.\n$/);
    const { recordings } = await payments.readAnnouncements(edition);
    assert.deepEqual([recordings?.url, recordings?.by], [url, 'Anna']);
    const again = await run('announce-recordings', EDITION, url, ...ANNA);
    assert.deepEqual([again.code, again.err], [4, 'This address is announced already.\n']);
  });

  test('the video room: a dry run shows the next letter, then pages and letters lead there', async (t) => {
    const { run, payments } = await startSupport(t, { startsAt: new Date('2026-01-02T17:00:00Z') });
    const tried = await run('announce-room', EDITION, url, ...ANNA, '--dry-run');
    assert.equal(tried.code, 0, tried.err);
    assert.match(tried.out, /everybody’s page leads there from Jan 14, 2026, 6:00 AM PST on/);
    assert.match(tried.out, /^ {2}\| Subject: Try it with us: the test session/m);
    assert.ok(!tried.out.split('Subject:')[1]?.includes(url), 'the letter does not tell the address');
    assert.deepEqual(await payments.readAnnouncements(edition), {});
    await run('announce-room', EDITION, url, ...ANNA);
    const { room } = await payments.readAnnouncements(edition);
    assert.deepEqual([room?.url, room?.by], [url, 'Anna']);
    const again = await run('announce-room', EDITION, url, ...ANNA);
    assert.deepEqual([again.code, again.err], [4, 'This address is announced already.\n']);
  });

  test('R5.1 a letter in its own words: a dry run shows it, then it is sent, and stopped by its ID', async (t) => {
    const { run, payments, register, find } = await startSupport(t, {
      startsAt: new Date('2026-01-02T17:00:00Z'),
    });
    await find(await register());
    const folder = await mkdtemp(join(tmpdir(), 'letter-'));
    cleanUp(t, () => rm(folder, { recursive: true }));
    const file = join(folder, 'letter.txt');
    await writeFile(file, 'Bring a pen, {first name}.\n\n{link}\n');
    const words = ['message', EDITION, '--to', 'registered', '--subject', 'What to bring', '--text-file'];
    const tried = await run(...words, file, ...ANNA, '--dry-run');
    assert.equal(tried.code, 0, tried.err);
    assert.match(tried.out, /^ *Letters +1$/m);
    assert.match(tried.out, /^ {2}\| Subject: What to bring$/m);
    assert.match(tried.out, /^ {2}\| Bring a pen, Wilma\.$/m);
    assert.deepEqual(await payments.readMessages(edition), []);
    const [, id = ''] = /^ *ID +(\w{16})$/m.exec(tried.out) ?? [];
    assert.equal((await run(...words, file, ...ANNA)).code, 0);
    const stopped = await run('stop-message', EDITION, id, ...ANNA);
    assert.match(stopped.out, /One person has not had it.*\n.*Nobody has had it already/);
    const [message] = await payments.readMessages(edition);
    assert.deepEqual([message?.message, message?.stopped?.by], [id, 'Anna']);
    await writeFile(file, 'Dear {name}');
    const [wrong, none] = await Promise.all([
      run(...words, file, ...ANNA),
      run('stop-message', EDITION, 'none', ...ANNA),
    ]);
    assert.match(wrong.err, /“\{name\}” stands for nothing/);
    assert.deepEqual([wrong.code, none.code], [2, 3]);
  });

  test('R5.1 not a schedule that never changed, nor for an unknown retreat, nor without a name', async (t) => {
    const { run, payments } = await startSupport(t, { startsAt: new Date('2026-01-02T17:00:00Z') });
    const [first, unknown, nobody, plain] = await Promise.all([
      run('announce-schedule', EDITION, ...ANNA),
      run('announce-schedule', 'june-1999', ...ANNA),
      run('announce-schedule', EDITION),
      run('announce-recordings', EDITION, 'http://videos.example.org', ...ANNA),
    ]);
    assert.deepEqual([first.code, unknown.code, nobody.code, plain.code], [4, 2, 2, 2]);
    assert.match(first.err, /The schedule is the one that was first published/);
    assert.match(unknown.err, /There is no edition june-1999/);
    assert.match(nobody.err, /--by NAME must say who does it/);
    assert.match(plain.err, /URL needs an address that begins with https/);
    assert.deepEqual(await payments.readAnnouncements(edition), {});
  });
});
