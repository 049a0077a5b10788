import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contextWithOffice, everyLetter, letter, letterContext, wilma } from '#scripts/world/letters.ts';
import {
  goesToOffice,
  isAboutRegistration,
  type MailJob,
  type MailKind,
  mailRules,
} from '#server/mail/job.ts';
import { refundAt } from '#server/registration/cancelling.ts';
import { sellWithoutFee } from '#server/testing/test-editions.ts';
import { assertNotSaid, assertSaid, parseHtml, readings } from '#server/testing/test-letters.ts';
import { BEGUN, balance, checkOf, recordWith } from '#server/testing/test-registrations.ts';
import { declineWords } from '#shared/content/card-words.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { officeDigestMail } from '#shared/content/office-digest-words.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { declineReasons } from '#shared/own-page.ts';
import { balanceFacts } from './balance-paid.ts';
import { composeMessage } from './compose-message.ts';
import { samplePaymentId } from './letter-kind.ts';
import { letterNow } from './table.ts';

const { facts } = edition;
const chargeNotice = letter('balance-notice');
const chargeReminder = letter('balance-reminder');
const postponed = letter('balance-postponed');
const cardExpires = letter('card-expires');
const pleasePay = letter('please-pay');
const failed = letter('balance-failed');
const settled = letter('balance-paid');
const compose = (job: MailJob) => composeMessage(job, letterContext);
const DAY_MS = 24 * 60 * 60 * 1000;

test('a receipt tells how the statement of the card names the charge, if the edition says so', () => {
  const sold = { ...edition, facts: { ...facts, statementSuffix: 'MAY RETREAT' } };
  const part = { cents: 72_625, beforeFeeCents: 70_000, paidAt: facts.balance.chargeAt };
  const told = (by: 'card' | 'check', edition: typeof sold) =>
    balanceFacts({ ...part, by }, edition).filter(({ label }) => label === 'On your statement');
  assert.deepEqual(told('card', sold), [{ label: 'On your statement', value: 'ends with “MAY RETREAT”' }]);
  assert.deepEqual([told('check', sold), balanceFacts({ ...part, by: 'card' }, edition).length], [[], 6]);
});

describe('the letters that announce the charge', () => {
  test('tell the amount, what it is made of, the moment on both clocks, and the card', () => {
    for (const job of [chargeNotice, chargeReminder]) {
      assertSaid(job, [
        '$726.25 (US dollars)',
        '$700, and the 3.75% card fee of $26.25',
        'Sunday, December 21, 2025, at 5:00 pm Pacific Time (for you Mon, Dec 22, 2:00 am)',
        'Visa ending in 4242',
        'payment plan, or arrange to pay by check: that is $700',
      ]);
      assertNotSaid({ ...job, timeZone: 'America/Los_Angeles' }, /for you/);
    }
    assertSaid(postponed, [
      'Monday, January 5, 2026, at 5:00 pm Pacific Time',
      'The new date of your balance',
    ]);
  });

  test('tell what cancelling before and after that hour means, in agreement with the refunds', () => {
    const { byCardCents } = balanceOf(facts);
    const paid = recordWith({
      balances: [balance({ status: 'paid', paidAt: new Date(facts.balance.chargeAt) })],
    });
    const refundedAt = (at: string) => refundAt(paid, new Date(at));
    const lastMoment = new Date(Date.parse(facts.balance.refundsEndAt) - 1).toISOString();
    const back = formatCents(refundedAt(lastMoment).byCardCents);
    const stays = formatCents(byCardCents - refundedAt(lastMoment).byCardCents);
    assert.equal(refundedAt(facts.balance.refundsEndAt).byCardCents, 0);
    for (const job of [chargeNotice, chargeReminder]) {
      assertSaid(job, [
        'If you cancel before 5:00 pm Pacific Time on December 21, nothing is charged.',
        `Once the balance is paid, cancelling by the end of that day brings ${back} back; the card fee of ${stays} is not refunded.`,
        'After that there are no refunds, transfers or credits. The deposit is not refunded in any case.',
      ]);
    }
    assertSaid(postponed, [
      'If you cancel before 5:00 pm Pacific Time on January 5, nothing is charged.',
      'cancelling by the end of December 21 brings $700 back',
    ]);
    const late = { ...postponed, isRefundable: false };
    assertSaid(late, ['Once the balance is paid, there are no refunds, transfers or credits.']);
    assertNotSaid(late, /December|brings/);
  });

  test('ask for another card when this one expires before, and never say that there is nothing to do', () => {
    for (const job of [chargeNotice, chargeReminder, postponed]) {
      assertSaid(job, ['You do not need to do anything.']);
      const expires = { ...job, expires: true as const };
      assertSaid(expires, [
        'Your card will no longer be valid by then, so please add another one on your own page.',
      ]);
      assertNotSaid(expires, /not need to do anything/);
    }
  });

  test('tell how to cancel: on her page, or at the office in every way that the policy offers', () => {
    const { email, fax, postalAddress } = letterContext.office;
    for (const job of [chargeNotice, chargeReminder, postponed, pleasePay])
      assertSaid(job, ['on your own page, or in writing, by e-mail, fax or post', email, fax, postalAddress]);
  });

  test('tell the sum that is charged, less the scholarship', () => {
    const job = letter('balance-notice', 'with-a-scholarship');
    assertSaid(job, [
      '$518.75',
      '$700 less your scholarship of $200, and the 3.75% card fee of $18.75',
      'brings $500 back',
    ]);
    assertNotSaid(job, /\$726|\$7\d\d\b(?! less)/);
  });
});

describe('the letters about a card and a payment', () => {
  test('a check that bounced is not called hers by a letter to who has got the place since', () => {
    const [came, handedAt, now] = [1, 2, 3].map((count) => new Date(BEGUN.getTime() + count * DAY_MS));
    assert.ok(came && handedAt && now);
    const takenBack = [{ at: now, by: 'Anna', why: 'bounced', payment: checkOf(30_000, came) }] as const;
    const before = { firstName: 'Jane', lastName: '', email: 'jane@example.org', phoneNumber: '' };
    const returned = (on: Date) => {
      const handedOver = { at: on, of: on, linksEpoch: 0, ...before };
      const record = recordWith({ received: { counting: [], takenBack }, handedOver });
      const job = letterNow('payment-returned', record, now);
      assert.ok(job);
      return job;
    };
    assertSaid(returned(BEGUN), [
      'Your payment was returned',
      'Your payment of $300 by check for The Doorway',
    ]);
    const ofBefore = returned(handedAt);
    assertSaid(ofBefore, [
      'A payment was returned',
      'The payment of $300 by check for The Doorway Retreat, which came on December 2, 2025 from the person who had the place before you, was returned by the bank. Your place stays reserved, and this amount is due again.',
    ]);
    assertNotSaid(ofBefore, /your payment/i);
    assert.match(compose(ofBefore).subject, /^A payment for The Doorway Retreat was returned by the bank$/);
  });

  test('an expiring card is announced with its last day, and what to do', () => {
    assertSaid(cardExpires, [
      'The card you gave us for The Doorway Retreat, Visa ending in 4242, is valid until November 30, 2025',
      'Visa ending in 4242',
      'another card',
      '$726.25',
    ]);
    assertSaid({ ...cardExpires, card: { ...cardExpires.card, expMonth: 12 } }, [
      'is valid until December 31, 2025',
    ]);
  });

  test('a request to pay says until when, and how much by card and by check', () => {
    assertSaid(pleasePay, ['$726.25', '$700, no card fee', 'Please pay by', 'December 21, 2025, at 5:00 pm']);
    const due = letter('please-pay', 'once-it-is-due');
    assertSaid(due, ['Please do so as soon as you can']);
    assertNotSaid(due, /December 21, 2025, at/);
  });

  test('a refused card is explained in words that she can act on, for every reason', () => {
    for (const reason of declineReasons) {
      const { why, advice } = declineWords[reason];
      assertSaid({ ...failed, reason }, [why, advice, 'Visa ending in 4242', 'Nothing was charged']);
    }
    // What is left to pay may have been lowered since the card was tried.
    assertSaid({ ...failed, cents: 51_875, beforeFeeCents: 50_000 }, ['$518.75 is left to pay.']);
    assertSaid(failed, [
      'We will try the same card again on Monday, December 22, 2025, at 5:00 pm Pacific Time',
    ]);
    const { nextAt: _, ...last } = { ...failed, stage: 'last' as const };
    assertSaid(last, ['We will not try this card again automatically']);
    assertNotSaid(last, /again on/);
  });

  test('the receipt breaks both payments down, to the cent', () => {
    assertSaid(settled, [
      'nothing is left to pay',
      '$695',
      '$26',
      '$721 (US dollars)',
      'December 1, 2025',
      samplePaymentId(1),
      'Wilma O’Hara',
      '$700',
      '$26.25',
      '$726.25 (US dollars)',
      'December 21, 2025',
      samplePaymentId(2),
      '$1,447.25 (US dollars)',
    ]);
    assertSaid(letter('balance-paid', 'with-a-scholarship'), ['$518.75', 'scholarship', '$200', '$1,239.75']);
    assertNotSaid(settled, /Taken off|scholarship/);
  });

  test('a check has no fee, no card and no reference', () => {
    const job = letter('balance-paid', 'by-check');
    assertSaid(job, ['Paid by check', 'Received on', '$700 (US dollars)', '$1,421 (US dollars)']);
    assertNotSaid(job, /26\.25|Visa|undefined|pi_/);
  });
});

describe('the link to her own page', () => {
  const all = Object.values(everyLetter()).filter(isAboutRegistration);
  const toHer = all.filter((job) => mailRules[job.kind].to === 'registrant');
  const unpaid: MailKind[] = ['registration-received', 'unfinished'];
  const without: MailKind[] = [...unpaid, 'refund-failed', 'refund-made'];
  const letters = toHer.filter(({ kind }) => !without.includes(kind));

  test('is in every letter from the welcome on, made when the letter is sent, and valid until thirty days after the retreat', () => {
    const until = new Date(Date.parse(facts.endsAt) + 30 * DAY_MS);
    for (const job of [...letters.map((one) => ({ ...one, linksEpoch: 3 })), letter('welcome')]) {
      const message = compose(job);
      const own = [...parseHtml(message).querySelectorAll('a')].filter(({ href }) =>
        href.includes('/place/'),
      );
      const [link] = own;
      assert.ok(link && own.length === 1, job.kind);
      assert.ok(message.text.includes(link.href));
      const token = new URL(link.href).pathname.replace('/place/', '');
      assert.deepEqual(letterContext.links.read(token, new Date(until.getTime() - 1), 'place'), {
        subject: wilma.registration,
        epoch: job.linksEpoch ?? 0,
        scope: 'place',
        digest: '',
        expiresAt: until,
      });
      assert.equal(letterContext.links.read(token, until, 'place'), undefined);
      assert.doesNotMatch(JSON.stringify(job), /https?:|v1\./);
    }
  });

  test('comes with the last day on which it opens', () => {
    assertSaid(letter('place-link'), ['without a password until February 24, 2026']);
  });

  test('is in no letter to a registrant who has not paid, and in none to the office', () => {
    for (const job of Object.values(everyLetter()).filter(
      (one) => !isAboutRegistration(one) || goesToOffice(one) || unpaid.includes(one.kind),
    ))
      assert.doesNotMatch(compose(job).html, /\/place\//);
  });

  test('a welcome sent after the balance has changed names no date', () => {
    const job = { ...letter('welcome'), termsVersion: edition.terms.version, hasMovedOn: true as const };
    assertSaid(job, ['Your own page shows what is left to pay.']);
    assertNotSaid(job, /The balance is due on December 21, 2025: \$/);
  });
});

describe('the digest to the office', () => {
  test('tells names, sums, since when, and what to do, and goes to the office alone', () => {
    assertSaid(letter('office-digest'), [
      'Wilma O’Hara',
      '$726.25',
      'December 21, 2025',
      officeDigestMail.reasons['insufficient-funds'],
      `support act ${wilma.registration} charge --by NAME`,
      officeDigestMail.needs.payments.title,
    ]);
    const { to, replyTo, subject } = compose(letter('office-digest'));
    assert.deepEqual([to.address, replyTo.address], [letterContext.office.email, letterContext.office.email]);
    assert.equal(subject, '3 things need you: The Doorway Retreat');
  });

  test('says which part of a payment plan a sum is, and that she has not agreed to it', () => {
    assertSaid(letter('office-digest', 'with-everything'), [
      '$259.38, part 1 of 3',
      officeDigestMail.obstacles['plan-not-agreed'],
    ]);
  });

  test('leads to the pages of the office where these are configured, instead of naming commands', () => {
    const { officeUrl } = contextWithOffice;
    const hrefs = (job: MailJob): (string | null)[] => {
      const { html, text } = composeMessage(job, contextWithOffice);
      assert.doesNotMatch(text, /support \w+ reg_/);
      assert.ok(
        text.includes(`${officeUrl}/office/registrations/${wilma.registration}`),
        'the text has no address',
      );
      return [...parseHtml({ html }).querySelectorAll('a')].map((link) => link.getAttribute('href'));
    };
    for (const job of [letter('office-digest'), letter('office-paid'), letter('office-cancel')])
      assert.ok(hrefs(job).includes(`${officeUrl}/office/registrations/${wilma.registration}`));
  });
});

/** What only a card fee brings, also one of nothing. */
const ON_FEE = /card fee|processing fee|fee included|\b0%/i;

describe('R8 the letters of an edition without a card fee', () => {
  test('name none', (t) => {
    sellWithoutFee(t);
    for (const [name, job] of Object.entries(everyLetter()))
      for (const reading of readings(job)) assert.doesNotMatch(reading, ON_FEE, name);
    assertSaid(letter('welcome', 'who-agreed'), ['due on December 21, 2025: $700. You do not need']);
    assertSaid(letter('balance-notice'), ['to pay by check.', 'by the end of that day brings $700 back.']);
  });
});
