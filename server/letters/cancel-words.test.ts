import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter, letterContext, wilma } from '#scripts/world/letters.ts';
import type { MailJob } from '#server/mail/job.ts';
import { refundAt } from '#server/registration/cancelling.ts';
import { linkDigest } from '#server/registration/links.ts';
import { assertNotSaid, assertSaid, parseHtml } from '#server/testing/test-letters.ts';
import { balance, type Changes, recordWith, refund, withCheck } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { formatCents } from '#shared/money.ts';
import { composeMessage } from './compose-message.ts';
import { tellSumLine } from './refund-letters.ts';

const cancelReceived = letter('cancel-received');
const officeCancel = letter('office-cancel');
const cancelUndone = letter('cancel-undone');
const officeCancelUndone = letter('office-cancel-undone');
const cancelled = letter('cancelled');
const refundFailed = letter('refund-failed');
const refundMade = letter('refund-made');
const confirmAddress = letter('confirm-address');
const addressChanged = letter('address-changed');
const compose = (job: MailJob) => composeMessage(job, letterContext);

describe('the letter that her cancellation has arrived', () => {
  test('tells when she wrote it on both clocks, what comes back and how, and until when she can take it back', () => {
    assertSaid(cancelReceived, [
      'on your own page, on Sunday, December 21, 2025, at 11:57 pm Pacific Time (for you Mon, Dec 22, 8:57 am)',
      'Deposit',
      '$721, not refunded',
      'Balance by card',
      '$700, cancelled in time',
      'Its card fee',
      '$26.25, not refunded',
      '$700 (US dollars)',
      'To your card, Visa ending in 4242',
      'We will refund it from December 23, 2025 on',
      'undo your cancellation until Monday, December 22, 2025, at 11:57 pm Pacific Time (for you Tue, Dec 23, 8:57 am)',
      'Nothing more is charged.',
      letterContext.office.phone,
    ]);
  });

  test('tells what it costs to take it back and cancel again, where it costs something', () => {
    const warning = 'If you undo it, and cancel again after December 21, nothing comes back.';
    assertSaid(cancelReceived, [warning]);
    assertNotSaid(letter('cancel-received', 'with-nothing-back'), /cancel again/);
    assertNotSaid({ ...cancelReceived, undoUntil: '2025-12-22T08:00:00.000Z' }, /cancel again/);
  });

  test('says nothing of taking it back, or of the day of the refund, once these are past', () => {
    const { undoUntil: _, workedOffFrom: __, ...late } = cancelReceived;
    assertNotSaid(late, /undo|taken back|change your mind|December 23|Dec 23/);
    assertSaid(late, ['It will be on its way to you shortly.', '$700 (US dollars)']);
    assertSaid({ ...late, isDisputed: true }, ['nothing is refunded automatically']);
    assertNotSaid({ ...late, isDisputed: true }, /shortly/);
  });

  test('says when a check comes, and when nothing comes back and why', () => {
    const byCheck = letter('cancel-received', 'by-check');
    const nothing = letter('cancel-received', 'with-nothing-back');
    assertSaid(byCheck, ['By check, mailed', 'The retreat office will send it from December 23, 2025 on']);
    assertNotSaid(byCheck, /card/);
    assertSaid(nothing, [
      'By the policies that you agreed to, nothing comes back.',
      '$721, not refunded',
      'Nothing',
      'You can undo your cancellation until',
    ]);
    assertNotSaid(nothing, /We will refund it|Visa|US dollars/);
  });

  test('tells a cancellation that the office recorded by the day on which she wrote it', () => {
    const job = letter('cancel-received', 'by-the-office');
    assertSaid(job, ['The retreat office has received your written cancellation', 'dated December 21, 2025']);
    assertNotSaid(job, /You cancelled/);
  });

  test('tells each line of each case of the policy in words', () => {
    const { facts } = edition;
    const chargeAt = new Date(facts.balance.chargeAt);
    const paid = { balances: [balance({ status: 'paid', paidAt: chargeAt })] };
    const lives: readonly Changes[] = [
      {},
      paid,
      { ...paid, refunds: [refund({ cents: 10_000, at: chargeAt })] },
      withCheck(70_000, chargeAt),
    ];
    for (const life of lives) {
      for (const moment of [facts.balance.chargeAt, facts.balance.refundsEndAt]) {
        const { byCardCents, byCheckCents, lines } = refundAt(recordWith(life), new Date(moment));
        const sums = { cardCents: byCardCents, checkCents: byCheckCents, lines: [...lines] };
        const total = byCardCents + byCheckCents;
        assertSaid({ ...cancelReceived, ...sums }, [
          total > 0 ? `${formatCents(total)} (US dollars)` : 'nothing comes back',
          ...lines.map(tellSumLine).flatMap(({ label, value }) => [label, value]),
        ]);
        assertNotSaid({ ...cancelReceived, ...sums }, /undefined|\bshe\b|\bher\b/i);
      }
    }
  });
});

describe('the letters to the office about cancelling', () => {
  test('are the cancellation in writing: who, when to the second, what comes back; an answer goes to her', () => {
    assertSaid(officeCancel, [
      'This e-mail is the written cancellation.',
      'Wilma O’Hara',
      'wilma@example.org',
      wilma.registration,
      'Sunday, December 21, 2025, at 23:57:58 Pacific Time (2025-12-22T07:57:58Z)',
      '$700 to the card',
      'Undo until',
      'Monday, December 22, 2025, at 11:57 pm Pacific Time',
    ]);
    const { to, replyTo, subject } = compose(officeCancel);
    assert.deepEqual([to.address, replyTo.address], [letterContext.office.email, 'wilma@example.org']);
    assert.equal(subject, 'Cancelled: Wilma O’Hara');
    assertSaid(letter('office-cancel', 'by-check'), ['$700 by check, from you']);
    const { undoUntil: _, ...late } = officeCancel;
    assertNotSaid(late, /can be undone|Undo until/);
    assertSaid({ ...officeCancel, isDisputed: true }, ['A charge is disputed: nothing is refunded']);
  });

  test('say that the place is kept once she has taken it back', () => {
    assertSaid(officeCancelUndone, [
      'The place is kept.',
      '$726.25, not yet paid',
      'at 10:00:00 Pacific Time',
    ]);
    assertSaid({ ...officeCancelUndone, standing: 'by-check' }, ['$700, to come by check']);
    assert.equal(compose(officeCancelUndone).replyTo.address, 'wilma@example.org');
  });
});

describe('the letters to her after that', () => {
  test('tell the state of the balance when she keeps her place', () => {
    assertSaid(cancelUndone, [
      'is yours again',
      'The balance of $726.25 is left to pay.',
      'We never charge your card without an e-mail that first tells you when and how much.',
    ]);
    assertSaid(cancelUndone, ['If that wasn’t you']);
    assertSaid({ ...cancelUndone, standing: 'paid' }, ['Everything is paid']);
    assertSaid({ ...cancelUndone, standing: 'by-check' }, ['The balance of $700 will come by check']);
  });

  test('tell the result of cancelling: the sum, the card, the banks’ time, and what is not refunded', () => {
    assertSaid(cancelled, [
      'has ended, as you asked on December 21, 2025',
      'Nothing more is charged.',
      'We have refunded $700 to your card, Visa ending in 4242. Banks usually show it within 5 to 10 business days.',
      '$721, not refunded',
      '$700 (US dollars)',
    ]);
    const byCheck = letter('cancelled', 'by-check');
    const nothing = letter('cancelled', 'with-nothing-back');
    assertSaid(byCheck, ['will mail you a check for $700', 'has ended, as you asked. ']);
    assertNotSaid(byCheck, /Banks|card|on its way/);
    assertSaid(nothing, ['nothing comes back', 'Nothing']);
    assertNotSaid(nothing, /Banks|check|US dollars/);
    const { card: _, ...withoutCard } = cancelled;
    assertSaid({ ...withoutCard, lines: [] }, [
      'We have refunded $700 to the cards that paid.',
      '$700 (US dollars)',
    ]);
  });

  test('say that a refund which her bank refused is still hers, and ask for the address for a check', () => {
    assertSaid(refundFailed, [
      '$700 to your card, Visa ending in 4242',
      'The money is still yours.',
      'Please reply to this e-mail with the mailing address',
    ]);
    assert.equal(compose(refundFailed).replyTo.address, letterContext.office.email);
  });

  test('tell what the office gave back, when and how', () => {
    assertSaid(refundMade, [
      '$26.25 (US dollars)',
      'January 5, 2026',
      'Visa ending in 4242',
      'Banks usually',
    ]);
    const toTwo = letter('refund-made', 'to-two-cards');
    assertSaid(toTwo, ['to the cards that paid.', 'To the cards that paid']);
    assertNotSaid(toTwo, /your card/);
    const job = letter('refund-made', 'by-check');
    assertSaid(job, ['has sent you a check for $700', 'Sent on', 'By check, mailed']);
    assertNotSaid(job, /Banks|Visa/);
  });
});

describe('the letters about an address', () => {
  test('ask the new address to confirm itself, by a link that is made when the letter is', () => {
    const message = compose(confirmAddress);
    assert.equal(message.to.address, 'new@example.org');
    const links = [...parseHtml(message).querySelectorAll('a')].map(({ href }) => href);
    const [link = '', ...others] = links.filter((href) => href.includes('/place/'));
    assert.deepEqual(others, []);
    assert.ok(message.text.includes(link));
    const token = new URL(link).pathname.replace('/place/', '');
    const asked = { to: 'new@example.org', at: new Date(confirmAddress.at) };
    const read = letterContext.links.read(token, asked.at, 'confirm');
    assert.deepEqual([read?.subject, read?.digest], [wilma.registration, linkDigest(asked.to, asked.at)]);
    assert.doesNotMatch(JSON.stringify(confirmAddress), /https?:|v1\./);
    assertSaid(confirmAddress, [
      'until Monday, December 8, 2025, at 10:00 am Pacific Time (for you 7:00 pm)',
      'nothing changes unless you confirm',
    ]);
    assertNotSaid(confirmAddress, /wilma@example|you reserved a place/);
  });

  test('name nobody to the new address: it may be a stranger’s', () => {
    assert.equal(compose(confirmAddress).to.name, '');
    assertNotSaid(confirmAddress, /Wilma|O’Hara/);
    assertSaid(confirmAddress, ['Hello,']);
  });

  test('tell the old address which registration changed, when and by whom, and the new address only in masked form', () => {
    assert.equal(compose(addressChanged).to.address, 'old@example.org');
    assertSaid(addressChanged, [
      'The Doorway Retreat',
      'Wilma O’Hara',
      wilma.registration,
      'w•••@e•••.org',
      'On your own page',
      'Friday, December 5, 2025, at 10:00 am Pacific Time',
      `please call the office at ${letterContext.office.phone}`,
    ]);
    assertSaid({ ...addressChanged, by: 'the office' }, ['By the retreat office']);
    assert.doesNotMatch(JSON.stringify(compose(addressChanged)), /wilma@|\/place\//);
  });
});
