import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { everyLetter, letter, letterContext, wilma } from '#scripts/world/letters.ts';
import { contactOf } from '#server/config/office.ts';
import { addressDigest } from '#server/mail/job.ts';
import { endedLetter } from '#server/mail/letter-log.ts';
import { linkDigest } from '#server/registration/links.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { assertSaid, parseHtml, plainWords, readings } from '#server/testing/test-letters.ts';
import { BEGUN, type Changes, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { describeWayIn } from '#shared/content/schedule.ts';
import { composeMessage } from './compose-message.ts';
import { letterNow } from './table.ts';

const { facts, timetable, terms, agreed, practicalFacts } = edition;

const compose = (job: Parameters<typeof composeMessage>[0]) => composeMessage(job, letterContext);

describe('the letter that details have arrived', () => {
  test('R5.3 says what is done, what is left, and whom to ask', () => {
    assertSaid(letter('registration-received'), [
      'Dear Wilma,',
      'The Doorway Retreat',
      'January 22–25, 2026',
      'deposit of $721',
      'Nothing has been charged yet. The place is yours once the deposit',
      letterContext.office.email,
      letterContext.office.phone,
    ]);
    for (const reading of readings(letter('registration-received')))
      assert.doesNotMatch(reading, /another browser|the way back|One step|Finish your/);
  });

  for (const [kind, variant] of [
    ['registration-received', 'usual'],
    ['registration-received', 'with-a-place'],
    ['unfinished', 'usual'],
  ] as const)
    test(`R5.3 links to the page that ends the registration of its address: ${kind}, ${variant}`, () => {
      const [text] = readings(letter(kind, variant));
      const [, token = ''] = /https:\/\/retreat\.example\/unfinished\/(\S+)/.exec(text) ?? [];
      const { read } = letterContext.links;
      const said = read(token, BEGUN, 'end');
      assert.deepEqual([said?.subject, said?.digest], [wilma.registration, linkDigest('WILMA@example.org')]);
      const isOver = new Date(registrationOverAt(facts).getTime());
      assert.deepEqual(
        [read(token, isOver, 'end'), read(token, BEGUN, 'place', 'confirm')],
        [undefined, undefined],
      );
    });

  test('R5.3 the reminder leads back to the form, in HTML and in plain text', () => {
    const message = compose(letter('unfinished'));
    const target = 'https://retreat.example/#register-stepper';
    assert.ok(message.text.includes(target));
    assert.ok(parseHtml(message).querySelector(`a[href="${target}"]`));
    assert.equal(message.attachments, undefined);
  });

  test('R5.3 to an address with a paid place says that nothing is left to do, and asks for nothing', () => {
    const job = { ...letter('registration-received'), addressHasPlace: true };
    assertSaid(job, [
      'Dear Wilma,',
      'There is already a paid place for January 22–25, 2026 under this address',
      'nothing to do and nothing to pay',
      'Simply leave the new registration as it is',
      'enter this address at https://retreat.example/place, and we will send you the link',
      'even someone with the same name',
      'refund all of it',
      letterContext.office.email,
      letterContext.office.phone,
    ]);
    for (const reading of [...readings(job), compose(job).subject]) {
      assert.doesNotMatch(reading, /one step|place is yours|as soon as the deposit|finish your|rather pay/i);
    }
    const [text] = readings(job);
    assert.ok(text.indexOf('already') < text.indexOf('someone else'));
    assert.equal(text.match(/Wilma/g)?.length, 1);
    assert.doesNotMatch(text, /O’Hara|wilma@example\.org/);
  });

  test('R5.3 to any other address says nothing of a paid place', () => {
    for (const job of [
      letter('registration-received'),
      { ...letter('registration-received'), addressHasPlace: false },
    ]) {
      for (const reading of readings(job)) assert.doesNotMatch(reading, /already|expires/);
    }
  });
});

describe('the reminder of an unfinished registration', () => {
  const first = { ...letter('registration-received'), email: recordWith().registrant.email };
  const begun: Changes = { deposit: 'unpaid', endedLetters: [endedLetter(first, 'sent', BEGUN)] };
  const dueAt = (changes: Changes, at = daysAfter(BEGUN, 1)) =>
    letterNow('unfinished', recordWith({ ...begun, ...changes }), at) !== undefined;

  test('R5.3 is due a day after her last submit', () => {
    const later = { submittedAt: daysAfter(BEGUN, 0.5) };
    assert.deepEqual([dueAt({}), dueAt({}, new Date(daysAfter(BEGUN, 1).getTime() - 1))], [true, false]);
    assert.deepEqual([dueAt(later), dueAt(later, daysAfter(BEGUN, 1.5))], [false, true]);
  });

  for (const [what, changes] of [
    ['once she has paid', { deposit: 'paid' }],
    ['once it was ended', { deposit: 'closed' }],
    ['for a place that was offered', { offer: 'waiting_1' }],
    ['where the address has a place, or none is left', { isNotReminded: true }],
    ['where the first letter waits', { letterWaits: true, endedLetters: [] }],
    ['to an address that bounces', { bounced: { at: BEGUN, to: addressDigest('wilma@example.org') } }],
  ] satisfies [string, Changes][])
    test(`R5.3 is not due ${what}`, () => assert.equal(dueAt(changes), false));

  test('R5.3 is not due once registration has closed', () => {
    const closes = new Date(facts.registration.closes);
    assert.deepEqual([dueAt({}, new Date(closes.getTime() - 1)), dueAt({}, closes)], [true, false]);
  });
});

describe('the welcome', () => {
  test('R5.3 R8 has the receipt: amount, what it is for, how it is made up, its reference', () => {
    assertSaid(letter('welcome'), [
      'January 2026 Online Retreat Deposit',
      '$695',
      '$26',
      '3.75%',
      '$721 (US dollars)',
      wilma.registration,
      'Wilma O’Hara',
    ]);
  });

  test('R5.3 shows an amount that is not the edition’s deposit as it was charged, without a breakdown', () => {
    const [text] = readings({ ...letter('welcome'), amountCents: 70_050 });
    assert.match(text, /Your card was charged \$700\.50 in US dollars/);
    assert.doesNotMatch(text, /\$26\b|Charged to your card: \$721/);
  });

  test('R1.6 R5.3 says when the test session is, and when the way in comes', () => {
    assertSaid({ ...letter('welcome'), timeZone: '' }, [describeWayIn(timetable)]);
    const own = { timeZone: 'Europe/Berlin', hourCycle: '12' } as const;
    assertSaid(letter('welcome'), [describeWayIn(timetable, own)]);
    const late = new Date('2026-01-16T09:00:00-08:00');
    assertSaid({ ...letter('welcome'), writtenAt: late.toISOString() }, [
      describeWayIn(timetable, own, late),
    ]);
  });

  test('R5.3 R8 tells the balance and its date', () => {
    const asked = '$726.25 in all. The retreat office will ask you for it.';
    for (const termsVersion of ['1', terms.version]) {
      assertSaid({ ...letter('welcome'), termsVersion }, [
        'The balance is due on December 21, 2025: $700 plus the 3.75% card fee, $726.25 in all.',
      ]);
    }
    // Without a consent on record her card is not charged.
    assertSaid(letter('welcome'), [asked]);
  });

  test('R5.3 R8 the balance of a late deposit is charged seven days after it, in the retreat’s time zone', () => {
    const agreed = { ...letter('welcome'), termsVersion: terms.version };
    const late = { ...agreed, paidAt: '2025-12-21T07:30:00.000Z' };
    assertSaid(late, [
      'The balance is due on December 27, 2025: $700 plus the 3.75% card fee, $726.25 in all.',
    ]);
    const tooLate = { ...agreed, paidAt: '2026-01-20T18:00:00.000Z' };
    // Her terms do not speak of late registrations.
    const other = { ...late, termsVersion: '1' };
    for (const job of [tooLate, other])
      assertSaid(job, ['$726.25 in all. The retreat office will ask you for it.']);
  });

  test('R5.3 R8 has the policies, word for word as on the page, and the practical facts', () => {
    const policies = policiesOf(terms, contactOf(letterContext.office), facts.siteName);
    assertSaid(
      letter('welcome'),
      policies.flatMap(({ title, paragraphs }) => [title, ...paragraphs]),
    );
    assertSaid(
      letter('welcome'),
      practicalFacts.facts.flatMap(({ title, text }) => [title, text]),
    );
  });
});

test('the welcome contains the terms that she agreed to, and their permanent address', () => {
  const [first] = agreed;
  const now = agreed.find(({ version }) => version === terms.version);
  assert.ok(first && now);
  const added = now.policies
    .flatMap(({ paragraphs }) => paragraphs)
    .filter((words) => /present,/.test(words));
  assert.equal(added.length, 1);
  const last = terms.version;
  for (const [job, has, address] of [
    [{ ...letter('welcome'), termsVersion: last }, true, `terms/january-2026-${last}`],
    [{ ...letter('welcome'), termsVersion: '1' }, false, 'terms/january-2026-1'],
    [letter('welcome'), true, undefined],
  ] as const) {
    const message = compose(job);
    assert.equal(message.text.includes(added[0] ?? ''), has, address);
    const links = [...parseHtml(message).querySelectorAll('a')].map(({ href }) => href);
    const found = links.filter((href) => href.includes('/terms/'));
    assert.deepEqual(found, address ? [`${letterContext.siteUrl}/${address}`] : []);
    if (address) assert.ok(message.text.includes(`${letterContext.siteUrl}/${address}\n`));
  }
});

test('R5.3 R8 letters to her end with who runs the retreat and how to reach the office, as far as this is configured', () => {
  const { legalName = '', postalAddress = '', email, phone } = letterContext.office;
  for (const job of [letter('registration-received'), letter('welcome')]) {
    assert.ok(compose(job).text.includes(`\n-- \n${[legalName, postalAddress, email, phone].join('\n')}\n`));
    const bare = composeMessage(job, { ...letterContext, office: { email, phone } });
    assert.ok(bare.text.includes(`\n-- \n${email}\n${phone}\n`));
    assert.doesNotMatch(bare.text + bare.html, /undefined|null|\bfax\b/);
  }
});

describe('the notices to the office', () => {
  const payment = `https://dashboard.stripe.com/payments/${wilma.depositPayment}`;
  const details = [
    'Wilma O’Hara',
    'wilma@example.org',
    '+1 (555) 555-0142',
    'Central European Time',
    wilma.registration,
    wilma.depositPayment,
  ];

  test('R5.3 say who registered for what, and that the deposit is not paid yet', () => {
    assertSaid(letter('office-notice'), [
      'Wilma O’Hara',
      'wilma@example.org',
      '+1 (555) 555-0142',
      'Central European Time',
      'LIVE Online Retreat Package, $1,395',
      '$721, not yet paid',
      wilma.registration,
      'you get another notice when it is',
    ]);
  });

  test('R5.3 leave out an unknown time zone', () => {
    assert.doesNotMatch(
      compose({ ...letter('office-notice'), timeZone: 'Mars/Tharsis' }).text,
      /Mars|Time zone/,
    );
  });

  test('R5.3 are rendered without phone and last name where she has given none', () => {
    assertSaid({ ...letter('office-notice'), lastName: '', phoneNumber: '', timeZone: '' }, [
      'Wilma has entered',
      'not given',
    ]);
  });

  test('R5.3 the notice of the payment says who paid the deposit, and what arrived', () => {
    assertSaid(letter('office-paid'), [...details, '$721', 'Wilma O’Hara has paid the deposit']);
    const { text, subject } = compose({ ...letter('office-paid'), amountCents: 70_050 });
    assert.match(text, /^Received: \$700\.50$/m);
    assert.equal(subject, 'Paid: Wilma O’Hara, $700.50');
    assert.match(text, /^Paid: \$700\.50\n=+\n/);
    assert.doesNotMatch(text + subject, /\$721|not yet paid/);
  });

  test('R5.3 lead to the payment, to her address and to her phone', () => {
    const withExtension = { ...letter('office-notice'), phoneNumber: '+1 (555) 555-0142 x12' };
    for (const job of [withExtension, letter('office-paid')]) {
      const message = compose(job);
      assert.ok(message.text.includes(payment));
      for (const href of [payment, 'mailto:wilma@example.org', 'tel:+15555550142']) {
        assert.ok(parseHtml(message).querySelector(`a[href="${href}"]`), href);
      }
    }
  });
});

describe('the HTML and the plain text of a letter', () => {
  for (const [name, job] of [
    ...Object.entries(everyLetter()),
    ['welcome without a zone', { ...letter('welcome'), timeZone: 'America/Los_Angeles' }] as const,
  ]) {
    test(`R5.3 say the same: ${name}`, () => {
      const message = compose(job);
      const document = parseHtml(message);
      const hrefs = [...document.querySelectorAll('a')].map(({ href }) => href);
      const html = plainWords([document.body.textContent, ...hrefs].join(' ')).toLowerCase();
      const pieces = message.text.split(/ \(for you | \(|\): |\)$|: |:$|, (?=\d+:)|\n/m);
      for (const piece of pieces.filter((part) => /\p{L}/u.test(part))) {
        assert.ok(html.includes(plainWords(piece.replace(/^- /, '')).toLowerCase()), piece);
      }

      document.querySelector('body > div')?.remove();
      document.querySelector('thead')?.remove();
      const text = plainWords(message.text).toLowerCase();
      for (const element of document.querySelectorAll('h1, h2, h3, strong, bdi, a, th, td span')) {
        const said = plainWords(element.textContent ?? '').replace(/^· |\.$/g, '');
        for (const part of said.split(' · ')) assert.ok(text.includes(part.toLowerCase()), part);
      }
    });
  }
});
