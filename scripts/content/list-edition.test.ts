import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { listEdition } from './list-edition.ts';
import { readEdition } from './read-edition.ts';
import { addJune } from './testing/june.ts';

test('an edition is listed with the weekday of each date, what a try-out shows, and files that nothing uses', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'editions-'));
  t.after(() => rm(root, { recursive: true }));
  await addJune(root);
  await writeFile(join(root, 'june-2031/media/old-harbor.jpg'), '');
  const file = join(root, 'june-2031/edition.yaml');
  const written = await readFile(file, 'utf8');
  const listed = async (tryOutFrom: string) => {
    await writeFile(file, written.replace('2031-04-20T08:15', tryOutFrom));
    return listEdition(await readEdition('june-2031', root), { isOnSale: true });
  };

  assert.equal(
    await listed('2031-04-20T08:15'),
    `june-2031, on sale
  The Harbor Retreat, June 18–22, 2031, Lisbon Time
  5 days, 10 sessions; schedule revision 3, of Monday 2031-01-20
  $1,180 by check, $1,213.77 by card: $406 at once, $807.77 on 2031-05-09
  24 places, held for 45 minutes while somebody pays
  3 steps, 5 benefits, 3 testimonials, 2 films, 8 questions, 10 partners, 14 outlets
  question name-shown: in her own words, required
  question table: 3 choices
  payment plan of 2 parts: 2031-05-09, 2031-06-05
  terms version 2031-1; 21 files in media/
  media/old-harbor.jpg is not used: name it in a field, or delete it
  Monday 2031-02-03 09:00  registration opens
  Sunday 2031-04-20 08:15  npm start begins here (tryOutFrom): who registers then gets the notice on Friday 2031-04-25, and her balance is charged on Friday 2031-05-09
  Friday 2031-04-25 11:30  the balance is announced
  Sunday 2031-05-04 11:30  the reminder of the balance goes out
  Friday 2031-05-09 11:30  the balance is charged
  Saturday 2031-05-10 00:00  too late to cancel for a refund
  Monday 2031-06-02 09:00  a message reminds of the questions
  Wednesday 2031-06-11 06:30  the test session is announced
  Thursday 2031-06-12 18:00  the questions can no longer be answered
  Thursday 2031-06-12 18:45  the test session begins
  Tuesday 2031-06-17 06:30  the way in goes out for 2031-06-17
  Tuesday 2031-06-17 20:30  registration closes
  Wednesday 2031-06-18 06:30  the way in goes out for 2031-06-18
  Wednesday 2031-06-18 19:00  the retreat begins
  Thursday 2031-06-19 06:30  the way in goes out for 2031-06-19
  Friday 2031-06-20 06:30  the way in goes out for 2031-06-20
  Saturday 2031-06-21 06:30  the way in goes out for 2031-06-21
  Sunday 2031-06-22 06:30  the way in goes out for 2031-06-22
  Monday 2031-06-23 00:00  the retreat is over
  Wednesday 2031-06-25 20:15  the recordings are announced`,
  );
  for (const [tryOutFrom, shown] of [
    ['2031-01-20T08:00', 'registration is not open yet'],
    [
      '2031-04-26T08:00',
      'who registers then gets the notice at once, and her balance is charged on Friday 2031-05-09',
    ],
    [
      '2031-05-07T08:00',
      'who registers then gets the notice at once, and her balance is charged 4 days after her deposit',
    ],
  ] as const)
    assert.ok((await listed(tryOutFrom)).includes(`(tryOutFrom): ${shown}\n`), shown);
});
