import assert from 'node:assert/strict';
import { after, before as beforeAll, describe, test } from 'node:test';
import { contactOf } from '#server/config/office.ts';
import { addressDigest, linkDigest } from '#server/registration/registration.ts';
import {
  contextWithOffice,
  everyLetter,
  letter,
  letterContext,
  readers,
} from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { earlierTerms, editionWithoutFee, recordEarlierTerms } from '#server/testing/test-editions.ts';
import { assertNotSaid, assertSaid, parseHtml, plainWords, readings } from '#server/testing/test-letters.ts';
import {
  BEGUN,
  type Changes,
  card,
  checkOf,
  endedLetter,
  recordWith,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { composeMessage } from './compose-message.ts';
import { type Mail, owedLetter } from './letter-kind.ts';
import { lettersNow, traitOf } from './table.ts';

const { facts, terms } = edition;
const { office, links, siteUrl } = letterContext;
const all = Object.entries(everyLetter());
const compose = (mail: Mail) => composeMessage(mail, letterContext);
const hrefsIn = (mail: Mail) =>
  [...compose(mail).html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
const before = (date: Date) => new Date(date.getTime() - 1);

/** Sums of the rows of one table that are the same. */
const SAME_SUMS = [
  [/^Amount/, /^Made up of/],
  [/^Comes back/, /^(?!Comes).*(?<!not refunded)$/],
  [/^Left to pay/, /^(?!Left).* by check(, due .*)?$/],
  [/^Paid in all/, /^(Deposit|Balance|Part \d)/],
] as const;

/** US cents, without the fee that is in a sum before it. */
const centsIn = (words: string) =>
  [...words.replaceAll(/fee of \S+ included/g, '').matchAll(/\$([\d,.]*\d)/g)]
    .map(([, dollars = '']) => Math.round(Number(dollars.replace(',', '')) * 100))
    .reduce((sum, cents) => sum + cents, 0);

describe('every letter', () => {
  test('R5.3 says the same in HTML and in plain text', () => {
    for (const [name, mail] of all) {
      const message = compose(mail);
      const document = parseHtml(message);
      const html = plainWords([document.body.textContent, ...hrefsIn(mail)].join(' ')).toLowerCase();
      const pieces = message.text.split(/ \(for you | \(|\): |\)$|: |:$|, | (?=https:)|\n/m);
      for (const piece of pieces.filter((part) => /\p{L}/u.test(part)))
        assert.ok(html.includes(plainWords(piece).toLowerCase()), `${name}: ${piece}`);

      document.querySelector('body > div')?.remove();
      const text = plainWords(message.text).toLowerCase();
      for (const element of document.querySelectorAll('h1, h2, h3, bdi, a, th')) {
        const said = plainWords(element.textContent ?? '').toLowerCase();
        assert.ok(text.includes(said), `${name}: ${said}`);
      }
    }
  });

  test('R5.3 R8 says nothing of what is not known, and ends with what is known of the office', () => {
    const { legalName, postalAddress, email, phone } = office;
    const bare = { ...letterContext, office: { email, phone } };
    const lines = [legalName, postalAddress, email, phone].join('\n');
    for (const { person } of [readers.berlin, readers.hostile])
      for (const [name, mail] of Object.entries(everyLetter(person))) {
        const [most, least] = [composeMessage(mail, contextWithOffice), composeMessage(mail, bare)];
        for (const { subject, text, html } of [most, least])
          assert.doesNotMatch(subject + text + html, /undefined|\b(null|NaN)\b|Invalid|\[obj/, name);
        if (mail.toOffice) continue;
        assert.ok(most.text.includes(`\n-- \n${lines}\n`), name);
        assert.ok(least.text.includes(`\n-- \n${email}\n${phone}\n`) && !/\bfax\b/.test(least.text), name);
      }
  });

  test('R5.3 R8 has sums that add up', () => {
    const checked = new Set<unknown>();
    for (const sold of [edition, editionWithoutFee()])
      for (const [name, mail] of Object.entries(everyLetter(wilma, sold))) {
        const { text } = compose(mail);
        const sumOf = (table: string, row: RegExp) =>
          table.split('\n').reduce((sum, line) => sum + (row.test(line) ? centsIn(line) : 0), 0);
        for (const table of text.split('\n\n'))
          for (const [one, other] of SAME_SUMS) {
            if (!table.split('\n').some((line) => one.test(line)) || sumOf(table, other) === 0) continue;
            assert.equal(sumOf(table, one), sumOf(table, other), `${name}: ${table}`);
            checked.add(one);
          }
      }
    assert.equal(checked.size, SAME_SUMS.length);
  });

  test('R8 is kept without what opens her page', () => {
    for (const [name, mail] of Object.entries(everyLetter())) {
      const { said, text } = composeMessage(mail, letterContext);
      if (!mail.isKept) assert.equal(said, null, name);
      else assert.doesNotMatch(said ?? assert.fail(name), /v1\./, name);
      assert.ok(text.startsWith(said?.split('\n')[0] ?? ''), name);
    }
  });

  test('R8 names no card fee where the edition has none', () => {
    for (const [name, mail] of Object.entries(everyLetter(wilma, editionWithoutFee())))
      for (const reading of readings(mail))
        assert.doesNotMatch(reading, /card fee|processing fee|fee included|\b0%/i, name);
  });

  test('R5.3 has the link to her page, for thirty days after the retreat, only if she has paid or a place is held', () => {
    const until = daysAfter(new Date(facts.endsAt), 30);
    const none = /^(registration-received|unfinished|refund-\w+|message: is written to unpaid)/;
    const opened = (mail: Mail, at: Date) =>
      hrefsIn(mail).flatMap((href) => links.read(/place\/([^#]+)/.exec(href)?.[1] ?? '', at, 'place') ?? []);
    const token = { subject: wilma.id, epoch: 0, scope: 'place', digest: '', expiresAt: until };
    for (const [name, mail] of all) {
      const isHers = !mail.isAboutWaiting && traitOf(mail.kind, 'to') === undefined && !none.test(name);
      assert.deepEqual([opened(mail, before(until)), opened(mail, until)], [isHers ? [token] : [], []], name);
    }
    const [renewed] = lettersNow('welcome', recordWith({ linksEpoch: 3 }), BEGUN);
    assert.equal(renewed && opened(renewed, BEGUN)[0]?.epoch, 3);
  });

  test('R5.3 says that an address has a paid place to that address alone, and names nobody then', () => {
    const telling = all.filter(([, mail]) => /already a paid place/.test(compose(mail).text));
    const names = telling.map(([name]) => name.replace(/ .* and has/, ''));
    assert.deepEqual(names, ['registration-received: begins with a place', 'waiting-received: a place']);
    for (const [name, mail] of telling)
      assert.doesNotMatch(compose(mail).text.replace('Dear Wilma,', ''), /Wilma|O’Hara|wilma@/, name);
  });
});

describe('the letters before she has paid', () => {
  for (const [kind, who] of [
    ['registration-received', 'begins to register'],
    ['registration-received', 'begins with a place'],
    ['unfinished', 'has not paid a day later'],
  ] as const)
    test(`R5.3 link to the page that ends the registration of its address: ${kind} to her who ${who}`, () => {
      const [, token = ''] = /\/unfinished\/(\S+)/.exec(compose(letter(kind, who)).text) ?? [];
      const said = links.read(token, BEGUN, 'end');
      assert.deepEqual([said?.subject, said?.digest], [wilma.id, linkDigest('WILMA@example.org')]);
      assert.equal(links.read(token, registrationOverAt(facts), 'end'), undefined);
      assert.equal(links.read(token, BEGUN, 'place', 'confirm'), undefined);
    });

  const first = owedLetter('registration-received', 'reg_1', wilma.email);
  const isReminded = (at: Date, changes: Changes = {}) => {
    const begun = { deposit: 'unpaid', endedLetters: [endedLetter(first, BEGUN)], ...changes } as const;
    return lettersNow('unfinished', recordWith(begun), at).length === 1;
  };
  const [dayLater, closes] = [daysAfter(BEGUN, 1), new Date(facts.registration.closes)];
  const later = { submittedAt: daysAfter(BEGUN, 0.5) };

  for (const [when, at, changes, is = false] of [
    ['a day after her last submit', dayLater, {}, true],
    ['until registration closes', before(closes), {}, true],
    ['after that', closes, {}],
    ['sooner', before(dayLater), {}],
    ['a day after an earlier submit', dayLater, later],
    ['a day after another submit', daysAfter(BEGUN, 1.5), later, true],
    ['once she has paid', dayLater, { deposit: 'paid' }],
    ['once it was ended', dayLater, { deposit: 'closed' }],
    ['where the address has a place, or none is left', dayLater, { isNotReminded: true }],
    ['where the first letter waits', dayLater, { letterWaits: true, endedLetters: [] }],
    ['if it bounces', dayLater, { bounced: { at: BEGUN, to: addressDigest(wilma.email) } }],
  ] satisfies [string, Date, Changes, is?: boolean][])
    test(`R5.3 the reminder is ${is ? '' : 'not '}due ${when}`, () =>
      assert.equal(isReminded(at, changes), is));
});

describe('the welcome', () => {
  let restore = () => {};
  beforeAll(() => {
    restore = recordEarlierTerms();
  });
  after(() => restore());
  const [old, now] = [earlierTerms.version, terms.version];
  const agreed = [earlierTerms, ...edition.agreed];
  const welcomeTo = (version: string, paidAt = BEGUN, changes: Changes = {}) => {
    const of = agreed.find((one) => one.version === version);
    const agreement = of && { version, digest: of.digest, agreedAt: BEGUN };
    const paid = { paidAt, agreement, card: { ...card, since: paidAt }, customerId: 'cus_1', ...changes };
    const [mail] = lettersNow('welcome', recordWith(paid), paidAt);
    assert.ok(mail);
    return mail;
  };

  test('R5.3 R8 tells the balance and its date as she agreed to it, and what was charged', () => {
    const [late, last] = [new Date('2025-12-21T07:30:00.000Z'), new Date('2026-01-20T18:00:00.000Z')];
    const [due, lateDue, asked] = [/December 21, 2025/, /December 27, 2025/, /not charged automatically/];
    for (const [version, paidAt, said] of [
      [old, BEGUN, due],
      [now, BEGUN, due],
      [now, late, lateDue],
      [now, last, asked],
      [old, late, asked],
      ['none', BEGUN, asked],
    ] as const) {
      const [text] = readings(welcomeTo(version, paidAt));
      assert.ok(text.includes('$726.25') && said.test(text) && asked.test(text) === (said === asked), text);
    }
    const other = welcomeTo(now, BEGUN, { depositCents: 70_050 });
    assertSaid(other, ['$700.50']);
    assertNotSaid(other, /\$26\b|\$721/);
  });

  test('R5.3 R8 brings the policies that she agreed to, word for word, and their permanent address', () => {
    for (const version of [now, old, 'none']) {
      const mail = welcomeTo(version);
      const { text, attachments } = compose(mail);
      const brought = plainWords([text, ...attachments.map(({ content }) => content)].join('\n'));
      const own = agreed.find((one) => one.version === version) ?? terms;
      for (const { title, paragraphs } of policiesOf(own, contactOf(office), facts.siteName))
        for (const words of [title, ...paragraphs]) assert.ok(brought.includes(plainWords(words)), words);
      assert.equal(/without you being present/.test(brought), version !== old, version);
      const found = hrefsIn(mail).filter((href) => href.includes('/terms/'));
      assert.deepEqual(found, version === 'none' ? [] : [`${siteUrl}/terms/january-2026-${version}`]);
    }
  });
});

test('R5.3 the notices to the office lead to the payment, to her address and to her phone', () => {
  const payment = 'https://dashboard.stripe.com/payments/pi_3QSampleDeposit';
  for (const mail of [letter('office-notice'), letter('office-paid')])
    for (const href of [payment, 'mailto:wilma@example.org', 'tel:+15555550142'])
      assert.ok(hrefsIn(mail).includes(href), href);
  const unknown = { ...wilma, lastName: '', phoneNumber: '', timeZone: 'Mars/Tharsis' };
  assertNotSaid(letter('office-notice', undefined, unknown), /Mars|Time zone|O’Hara|555-0142/);
});

test('a check that bounced is not called hers by a letter to who has got the place since', () => {
  const [came, handedAt, now] = [daysAfter(BEGUN, 1), daysAfter(BEGUN, 2), daysAfter(BEGUN, 3)];
  const takenBack = [{ at: now, by: 'Anna', why: 'bounced', payment: checkOf(30_000, came) }] as const;
  const who = { firstName: 'Jane', lastName: '', email: 'jane@example.org', phoneNumber: '' };
  for (const at of [BEGUN, handedAt]) {
    const handedOver = { at, of: at, linksEpoch: 0, ...who };
    const record = recordWith({ received: { counting: [], takenBack }, handedOver });
    const [mail] = lettersNow('payment-returned', record, now);
    assert.ok(mail);
    const { subject, text } = compose(mail);
    assert.equal(/your payment/i.test(subject + text), at === BEGUN);
  }
});

test('a receipt tells how the statement of the card names the charge, if the edition says so', () => {
  const sold = { ...edition, facts: { ...facts, statementSuffix: 'MAY RETREAT' } };
  assertSaid(letter('balance-paid', undefined, wilma, sold), ['ends with “MAY RETREAT”']);
  assertNotSaid(letter('balance-paid'), /statement/);
});
