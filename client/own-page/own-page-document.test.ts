import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  renderAddressDocument,
  renderCancelDocument,
  renderCardDocument,
  renderConfirmDocument,
  renderDetailsDocument,
  renderLinkDocument,
  renderOnTheWayDocument,
  renderOwnPageDocument,
  renderPayDocument,
  renderPlanDocument,
  renderReceiptsDocument,
} from '#client/entry.server.tsx';
import { testOffice, testView, testViews, viewsNow } from '#server/testing/own-page-views.ts';
import { sellWithoutFee } from '#server/testing/test-editions.ts';
import { payNowOf } from '#shared/content/own-page-pay.ts';
import type { OwnPageView, Sent } from '#shared/content/own-page-view.ts';

const office = testOffice;
const look = { styleSheet: '/static/css/place-TEST.css', fonts: [] };

function render(view: OwnPageView): string {
  return renderOwnPageDocument({ office, look, isMeasured: false, view });
}

/** The visible text, in one line. */
function wordsOf(html: string): string {
  const text = html
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
  return text.replace(/[\s\u00a0]+/g, ' ').replace(/ ([.,])/g, '$1');
}

function assertSays(html: string, sentences: readonly string[]): void {
  const words = wordsOf(html);
  for (const sentence of sentences) assert.ok(words.includes(sentence), `"${sentence}" is missing: ${words}`);
}

const viewNamed = (name: string): OwnPageView => {
  const view = testViews[name];
  assert.ok(view, name);
  return view;
};

test('her page promises no link to the room if she owes nothing but is not admitted while it is open to others', () => {
  const { room, ...view } = viewNamed('settled-room-open');
  assert.ok(room);
  const words = wordsOf(render(view));
  assert.match(words, /It does not open from this page now\. Please ask the office\./);
  assert.doesNotMatch(words, /when the days have come|link to the retreat comes/);
});

describe('on the days of the retreat her page begins with', () => {
  const at = (moment: string) =>
    render({ ...viewNamed('settled-room-open'), now: new Date(`${moment}:00-08:00`) });

  test('an open door, what is on, what is next, whom to call or text, and the way in; and today is marked', () => {
    const html = at('2026-01-23T10:45');
    assertSays(html, [
      'On now: Eating together Until about 11:30 am PT (for you 8:30 pm). Next: Group sessions, Friday, January 23, at 3:00 pm PT (for you Sat, Jan 24, 12:00 am). If you can’t get in, or something doesn’t work, we are a call away. Call +1 (555) 010-0199 Text us Enter the video room',
    ]);
    assert.match(html, /<header class="place-head"><span class="art place-door">/);
    assert.match(html, /href="tel:\+15550100199"/);
    assert.match(html, /href="sms:\+15550100199"/);
    const marked = [...html.matchAll(/dateTime="([\d-]+)" aria-current="date">/g)].map(([, date]) => date);
    assert.deepEqual(marked, ['2026-01-23']);
  });

  test('the next session between two, and her own day is marked where it is another', () => {
    const html = at('2026-01-23T23:00');
    assertSays(html, [
      'Next: Movement and meditation Saturday, January 24, at 8:30 am PT (for you 5:30 pm).',
    ]);
    assert.match(html, /dateTime="2026-01-24" aria-current="date">/);
  });

  test('when the recordings come, from the last session until they are there', () => {
    assertSays(at('2026-01-25T12:30'), [
      'The recordings They come on Tuesday, January 27. We e-mail you then',
    ]);
    assertSays(at('2026-01-27T09:00'), ['The recordings They are being made ready.']);
    assert.doesNotMatch(wordsOf(render(viewNamed('over-recordings'))), /being made ready|They come on/);
    assert.doesNotMatch(wordsOf(at('2026-01-25T12:29')), /The recordings They/);
  });
});

test('what went wrong has a look and a role of its own', () => {
  for (const [told, role, className] of [
    ['letter-sent', 'status', 'place-news'],
    ['changed', 'alert', 'place-error'],
    ['too-many', 'alert', 'place-error'],
    ['letter-not-sent', 'alert', 'place-error'],
  ] as const)
    assert.ok(render(testView({ told })).includes(`<p class="${className}" role="${role}"`), told);
  const sent = { typed: {}, errors: { firstName: 'First name is required' } };
  const form = renderDetailsDocument({ view: testView(), office, look, sent });
  assert.ok(form.includes('<div class="place-error" role="alert"><p>Nothing was done yet.'));
});

test('R8 her page names no card fee where none is asked', (t) => {
  const unpaid = ['charged-later', 'to-pay', 'by-check', 'plan-to-agree', 'held', 'held-for-a-card'];
  const readAll = () => {
    const views = Object.entries(viewsNow()).filter(([name]) => unpaid.includes(name));
    return views.flatMap(([, view]) => {
      const plan = view.plan && renderPlanDocument({ view, plan: view.plan, office, look });
      return [render(view), ...(plan ? [plan] : [])].map(wordsOf);
    });
  };
  sellWithoutFee(t);
  const alike = readAll().join(' ');
  assert.doesNotMatch(alike, /card fee|fee of|\b0%|\$0\b/i);
  for (const said of [
    'Each sum is the same by card and by check.',
    'There are payment plans.',
    '$700 is left',
  ])
    assert.ok(alike.includes(said), `${said}: ${alike}`);
});

describe('her page says how the balance stands', () => {
  const due = 'Sunday, December 21, 2025, at 5:00 pm Pacific Time (for you Mon, Dec 22, 2:00 am)';
  for (const [name, ...expected] of [
    [
      'charged-later',
      `The balance of $726.25 is charged to your Visa ending in 4242 on ${due}. You need not do anything for it.`,
      'If you cancel before 5:00 pm Pacific Time on December 21, nothing is charged. Once the balance is paid, cancelling by the end of that day brings $700 back; the card fee of $26.25 is not refunded.',
      'Visa ending in 4242, expires 08/2027',
    ],
    [
      'charged-later-postponed',
      'on Monday, January 5, 2026, at 5:00 pm Pacific Time (for you Tue, Jan 6, 2:00 am), as agreed with the office.',
      'If you cancel before 5:00 pm Pacific Time on January 5, nothing is charged. Once the balance is paid, cancelling by the end of December 21 brings $700 back',
    ],
    [
      'charged-later-card-expires',
      'Your card needs a look',
      'Mastercard ending in 4444, expires 11/2025 It has expired. Please store another card, or pay now with one.',
    ],
    [
      'to-pay',
      '$726.25 is left to pay by card. Please pay it by Thursday, January 15, 2026, at 5:00 pm Pacific Time (for you Fri, Jan 16, 2:00 am). Nothing is charged automatically. By check it is $700, without the card fee.',
    ],
    [
      'to-pay-began',
      'You went to our payment provider or to your bank for the balance of $726.25, and nothing has arrived from there yet. Please try again, with the card on file or another. Otherwise it is charged to your Visa ending in 4242 on Sunday, December 21, 2025, at 5:30 pm Pacific Time',
    ],
    [
      'by-check',
      'Please send a check of $700 in US dollars to Sample Retreats LLC, 1 Example Street, Sampletown, CA 95060, so that it arrives by Thursday, January 15, 2026',
    ],
    ['paid-twice', 'The balance is open'],
    [
      'paid-twice-given-back',
      'You have paid for another place too, and keep that one.',
      'Given back to you $721 to your card, December 23, 2025',
    ],
    ['being-charged', '$726.25 is being charged to your Visa ending in 4242.', 'do not pay it a second time'],
    ['processing', 'Your payment is being processed', 'please do not pay a second time'],
    ['held-processing', 'Your payment is being processed', 'please do not pay a second time'],
    [
      'retrying',
      'Your bank says that there was not enough money for it, or that it would go beyond a limit.',
      'It is tried again on Wednesday, December 24, 2025, at 5:00 pm Pacific Time (for you Thu, Dec 25, 2:00 am).',
    ],
    [
      'action-needed-authentication',
      'Your bank wants you to confirm this payment yourself.',
      'It is not tried again automatically.',
    ],
    [
      'action-needed-expired',
      'The card has expired. Your place is safe.',
      'Please pay with another card, or with the new one',
    ],
    ['action-needed-blocked', 'Your bank does not allow this charge to this card.'],
    ['settled-news', 'Everything is paid', 'nothing more is charged', 'Thank you. Your payment has arrived.'],
    [
      'settled-room-open',
      'Enter the video room',
      'Taken off the tuition $200',
      'Balance $500 by check, December 21, 2025',
    ],
    [
      'over',
      'The retreat is over, and $726.25 of the balance did not arrive. Nothing more is charged to your card.',
    ],
    ['settled-by-check', 'You see first what comes back to you, and have 24 hours to undo it.'],
    [
      'cancelling',
      'You cancelled on Sunday, December 21, 2025, at 11:58 pm Pacific Time (for you Mon, Dec 22, 8:58 am). Nothing more is charged. We have sent you an e-mail that says the same.',
      '$700 goes back to your Visa ending in 4242, once the 24 hours are over in which you can undo it. Banks usually show it within 5 to 10 business days.',
      'Of the deposit of $721 $0 By the policies that you agreed to, the deposit is not refunded. Of the balance of $700 $700 Cancelled by the end of December 21: all of it comes back. Of its card fee of $26.25 $0 The card fee is not refunded. Comes back to you $700',
      'You can undo this until Monday, December 22, 2025, at 11:58 pm Pacific Time (for you Tue, Dec 23, 8:58 am).',
    ],
    [
      'cancelling-unpaid',
      'By the policies that you agreed to, nothing comes back.',
      'Comes back to you $0 By the policies that you agreed to, the deposit is not refunded.',
    ],
    [
      'cancelling-check',
      'You cancelled in writing on December 18, 2025.',
      'The office sends you a check of $700, once the 24 hours are over in which you can undo it.',
      'Of the balance of $700 $700 Cancelled by the end of December 21',
    ],
    [
      'cancelling-race',
      'Of the balance of $700 $700 It was paid after you had cancelled, so all of it comes back. Of its card fee of $26.25 $26.25 It comes back too. Comes back to you $726.25',
    ],
    [
      'cancelling-closed',
      '$700 goes back to your Visa ending in 4242. We are working on it now, and send you an e-mail when it is done.',
    ],
    ['cancelling-late', 'Of the balance of $700 $0 The last day for a refund was December 21.'],
    ['cancelling-disputed', 'nothing is charged and nothing is given back automatically'],
    ['cancelled-in-work', '$700 comes back to you; it is being sent.'],
    [
      'cancelled-pending',
      '$700 is on its way back to your Visa ending in 4242; it was sent on December 23, 2025. Banks usually show it within 5 to 10 business days.',
      'On its way back to you $700 to your card, December 23, 2025',
    ],
    [
      'cancelled-refunded',
      '$700 was sent back to your Visa ending in 4242 on December 23, 2025.',
      'Given back to you $700 to your card, December 23, 2025',
    ],
    [
      'cancelled-failed',
      '$700 could not go back to your Visa ending in 4242. It is yours all the same: the office sends you a check',
    ],
    ['cancelled-check-due', '$700 comes back to you: the office sends you a check.'],
    [
      'cancelled-check-sent',
      '$700 came back to you by a check, which the office sent on December 23, 2025.',
      'Given back to you $700 by check, December 23, 2025',
    ],
    ['cancelled-nothing', 'The deposit is non-refundable, and the balance was not charged.'],
    ['cancelled-too-late', 'By the policies that you agreed to, nothing comes back.'],
    [
      'settled-room-without-address',
      'It opens from this page, and its address is not here yet. Please look again shortly before the session',
      'Your link is sent to you again each morning, too.',
    ],
    [
      'to-pay-test-session',
      'Enter the room of the test session',
      'For the retreat itself it opens from this page again, once nothing is left to pay.',
      'Next: Test session Thursday, January 15, at 5:30 pm PT (for you Fri, Jan 16, 2:30 am). If you can’t get in, or something doesn’t work, we are a call away. Call +1 (555) 010-0199 Text us Enter the room of the test session',
      'Your link to the retreat is sent to you on Wednesday, January 21, and again each morning.',
    ],
    ['address-asked', 'Waiting for you to confirm w…@new.example', 'E-mail wilma@example.org'],
    [
      'held',
      'The registration of Wilma O’Hara for January 22–25, 2026.',
      'Please send a check of $695 in US dollars to ',
      'so that it arrives by Wednesday, December 10, 2025, at 5:00 pm Pacific Time (for you Thu, Dec 11, 2:00 am). There is no card fee.',
      `If you would rather pay it by card, it is $721. The balance of $726.25 is charged to the same card on ${due}, after we have told you by e-mail.`,
      'Give a card, then pay $721',
      'If you do not come, simply do not pay',
    ],
    [
      'held-for-a-card',
      'Please pay the deposit of $721 by card here',
      'It is non-refundable. The balance of',
    ],
    ['held-over', 'Your place is no longer held', 'the deposit has not arrived. Nothing was charged.'],
    ['disputed', 'nothing is charged and nothing is given back automatically'],
    [
      'plan-to-agree',
      'Do you agree to your payment plan?',
      'the balance of your tuition is divided into 3 parts. Your card is charged for no part before you have agreed to these dates. Part 1 of 3 of your payment plan, $242.09, is due on Wednesday, December 10, 2025, at 5:00 pm Pacific Time (for you Thu, Dec 11, 2:00 am).',
      'Part 1 of 3 $242.09 planned for December 10, 2025 Part 2 of 3 $242.08 planned for December 21, 2025',
    ],
    [
      'plan-part-paid',
      `Part 2 of 3 of your payment plan, $242.08, is charged to your Visa ending in 4242 on ${due}.`,
      'Pay part 2 of 3 now, $242.08',
      'You agreed to the dates of your payment plan on December 2, 2025.',
      'Part 1 of 3 $242.09 by card, December 10, 2025; including a card fee of $8.75 Part 2 of 3 $242.08 next, charged on December 21, 2025 Part 3 of 3 $242.08 charged on January 10, 2026',
      'Once you cancel, no further part is charged. What is paid of the balance comes back, without its card fee, if you cancel by the end of December 21.',
      'as long as you have agreed to your payment plan and no part of it is overdue.',
      'Ask for another plan, or pay by check',
    ],
    [
      'plan-part-missed',
      'Part 1 of 3 needs attention',
      'Part 1 of 3 of your payment plan, $242.09, was due on Wednesday, December 10, 2025',
      'The other parts keep their dates.',
      'Pay part 1 of 3 now, $242.09',
      'Part 1 of 3 $242.09 was due on December 10, 2025, and is not paid yet',
    ],
    ['plan-part-paid-with-another-card', 'Part 2 of 3 needs attention'],
    [
      'plan-paused',
      'Nothing is charged until the office has written to you. If you would like to pay part 2 of 3 of your payment plan, $242.08, before, you can do so here.',
      'Part 2 of 3 $242.08 not charged while the plan is paused',
    ],
  ] as const) {
    test(name, () => assertSays(render(viewNamed(name)), expected));
  }
});

describe('what she can do on her page', () => {
  const acts = (html: string) => [...html.matchAll(/href="\/place\/(pay|card)"/g)].map(([, act]) => act);

  test('she can pay while something is left to pay, and give a card while it is to be charged', () => {
    const payAndCard = ['charged-later', 'retrying'];
    const pay = ['to-pay', 'to-pay-began', 'held'];
    const neither = [
      'by-check',
      'being-charged',
      'processing',
      'held-processing',
      'settled-news',
      'over',
      'cancelling',
      'cancelled-pending',
      'disputed',
    ];
    for (const name of payAndCard) assert.deepEqual(acts(render(viewNamed(name))), ['pay', 'card'], name);
    for (const name of pay)
      assert.deepEqual(acts(render(viewNamed(name))), [name === 'held' ? 'card' : 'pay'], name);
    for (const name of neither) assert.deepEqual(acts(render(viewNamed(name))), [], name);
  });

  // https://docs.stripe.com/payments/link/bank-payments-passthrough-mode
  test('a bank account in Link is shown without the number and the expiry that Stripe makes up for it', () => {
    const view = viewNamed('charged-later');
    const card = { brand: 'link', last4: '0000', expMonth: 12, expYear: 2040 };
    const html = render({ ...view, card: { ...card, expired: false, expiresBeforeDue: false } });
    assertSays(html, ['charged to your Link account on']);
    assert.doesNotMatch(wordsOf(html), /0000|2040/);
  });

  test('she can close it everywhere, unless no letter could bring her a new link', () => {
    for (const [name, view] of Object.entries(testViews)) {
      const html = render(view);
      assert.equal(html.includes('action="/place/close"'), !view.unreachable, name);
      assert.equal(wordsOf(html).includes('we send a new one to the address'), !view.unreachable, name);
    }
  });

  test('with read-only access she sees everything, and one sentence in place of the acts, in every state', () => {
    for (const [name, view] of Object.entries(testViews)) {
      const html = render({ ...view, mayAct: false, token: '' });
      const forms = [...html.matchAll(/<form[^>]*action="([^"]*)"/g)].map(([, action]) => action);
      assert.deepEqual(forms, ['/place/leave'], name);
      assert.doesNotMatch(html, /href="\/place\/(?:cancel|details|address)"/, name);
      assert.deepEqual(acts(html), [], name);
      assert.equal(wordsOf(html).split('Open the link in your welcome e-mail to pay').length, 2, name);
    }
  });

  test('she is led to the forms for her name, phone and address, and told that a letter asks the new address', () => {
    const html = render(testView());
    for (const path of ['/place/details', '/place/address']) assert.ok(html.includes(`href="${path}"`), path);
    const asked = wordsOf(render({ ...testView(), told: 'address-asked' }));
    assert.match(asked, /An e-mail is on its way to the new address\./);
  });

  test('the form that pays carries what it shows: the sum, the part of her plan, and the card', () => {
    const paying = (name: string) => {
      const view = viewNamed(name);
      return renderPayDocument({ view, office, look, paying: payNowOf(view) ?? assert.fail() });
    };
    const html = paying('charged-later');
    assertSays(html, [
      '$726.25: $700 and the card fee of $26.25.',
      'Visa ending in 4242',
      'Store another card first',
    ]);
    for (const hidden of [
      'name="token" value="token-against-forgery"',
      'name="cents" value="72625"',
      'name="part" value=""',
      'name="card" value="visa 4242"',
    ])
      assert.ok(html.includes(hidden), hidden);
    assert.doesNotMatch(html, /<script[^>]*src=/);
    assert.ok(paying('plan-part-paid').includes('name="part" value="2"'));
    assertSays(paying('plan-part-paid'), ['$242.08: $233.33 and the card fee of $8.75.']);
  });

  test('before she gives another card she reads what becomes of it', () => {
    for (const [name, words] of [
      ['charged-later', 'The balance of $726.25 is charged to the new card when it is due.'],
      ['retrying', 'The balance, $726.25, is overdue: it is charged to the new card within a few minutes'],
      ['to-pay', 'Nothing is charged before you have pressed “Pay $726.25” on your page.'],
      ['held', 'Nothing is charged before you have pressed “Pay $721” on your page.'],
      [
        'plan-part-paid',
        'Part 2 of 3 of your payment plan, $242.08, is charged to the new card on its date, and so are the parts after it.',
      ],
      [
        'plan-part-missed',
        'Part 1 of 3, $242.09, is overdue: it is charged to the new card within a few minutes',
      ],
    ] as const)
      assertSays(renderCardDocument({ view: viewNamed(name), office, look }), [words]);
  });

  test('the page on the way to Stripe leads on by itself, and by a link', () => {
    const url = 'https://checkout.stripe.com/c/pay/cs_1?a=1&b=2#fid';
    const html = renderOnTheWayDocument({ siteName: 'Retreats', to: 'card', url, look });
    const written = url.replaceAll('&', '&amp;');
    assert.ok(html.includes(`<meta http-equiv="refresh" content="0; url=${written}"/>`));
    assert.ok(html.includes(`href="${written}"`));
  });

  test('a card that the bank does not allow to be charged is not offered', () => {
    const offersCardOnFile = (name: string) => acts(render(viewNamed(name)))[0] === 'pay';
    assert.ok(offersCardOnFile('action-needed-authentication') && offersCardOnFile('action-needed-declined'));
    assert.ok(!offersCardOnFile('action-needed-expired') && !offersCardOnFile('action-needed-blocked'));
    assert.ok(!offersCardOnFile('charged-later-card-expires'));
  });

  test('she can cancel on the page; during a dispute only through the office; once it is cancelled or over not at all', () => {
    const waysToCancel = (name: string) => {
      const html = render(viewNamed(name));
      return [html.includes('href="/place/cancel"'), html.includes('subject=Cancelling')];
    };
    for (const name of ['charged-later', 'retrying', 'by-check', 'settled-news', 'settled-by-check'])
      assert.deepEqual(waysToCancel(name), [true, false], name);
    assert.deepEqual(waysToCancel('disputed'), [false, true]);
    for (const name of ['over', 'over-settled', 'cancelling', 'cancelling-closed', 'cancelled-refunded'])
      assert.deepEqual(waysToCancel(name), [false, false], name);
  });

  test('after the retreat the recordings come first, and the hours are folded', () => {
    const html = render(viewNamed('over-recordings'));
    const [, first] = / id="(balance|standing|payments|recordings)"/.exec(html) ?? [];
    assert.equal(first, 'recordings');
    assert.match(html, /<details class="act"><summary[^>]*>See how the days went/);
    assert.doesNotMatch(html, /name="timeZone"/);
    assert.doesNotMatch(render(viewNamed('charged-later')), /See how the days went/);
  });

  test('she can choose the zone of her hours: hers and the retreat’s are among them, hers is chosen', () => {
    const zonesOf = (timeZone: string, changes: Partial<OwnPageView> = {}) => {
      const view = viewNamed('charged-later');
      const html = render({ ...view, registrant: { ...view.registrant, timeZone }, ...changes });
      const [, chosen] = /<option value="([^"]+)" selected/.exec(html) ?? [];
      return { chosen, all: [...html.matchAll(/<option value="([^"]+)"/g)].map(([, id]) => id) };
    };
    const { id: retreatZone } = viewNamed('charged-later').edition.timetable.timeZone;
    const far = zonesOf('Pacific/Kiritimati');
    assert.equal(far.chosen, 'Pacific/Kiritimati');
    assert.ok(far.all.includes(retreatZone));
    for (const none of ['', 'Etc/Nowhere']) assert.equal(zonesOf(none).chosen, retreatZone, none);
    assert.deepEqual(zonesOf('Asia/Tokyo', { mayAct: false }).all, [], 'who may only read');
  });

  test('once the room is open, its section comes before the days; until then after them', () => {
    const order = (name: string) =>
      [...render(viewNamed(name)).matchAll(/ id="(room|days)"/g)].map(([, id]) => id);
    for (const name of ['settled-room-open', 'settled-room-without-address', 'to-pay-test-session'])
      assert.deepEqual(order(name), ['room', 'days'], name);
    assert.deepEqual(order('charged-later'), ['days', 'room']);
  });

  test('she is led to where she can undo a cancellation while that is possible; the days and the room are not shown', () => {
    const hasUndo = (name: string) => render(viewNamed(name)).includes('href="/place/undo"');
    const inWork = Object.keys(testViews).filter((name) => name.startsWith('cancelling'));
    for (const name of inWork)
      assert.equal(hasUndo(name), !['cancelling-closed', 'cancelling-late'].includes(name));
    const cancelled = Object.keys(testViews).filter((name) => name.startsWith('cancel'));
    for (const name of cancelled)
      assert.doesNotMatch(render(viewNamed(name)), /id="days"|id="room"|\/place\/(?:pay|card)"/, name);
  });

  test('if undoing it and cancelling again later would cost her the refund, the page warns her', () => {
    const hasWarning = (name: string) => wordsOf(render(viewNamed(name))).includes(WARNING);
    const WARNING = 'If you undo it, and cancel again after December 21, nothing comes back.';
    for (const name of ['cancelling', 'cancelling-check', 'cancelling-race'])
      assert.ok(hasWarning(name), name);
    for (const name of ['cancelling-unpaid', 'cancelling-closed', 'cancelled-refunded'])
      assert.equal(hasWarning(name), false, name);
    const early = viewNamed('cancelling');
    assert.ok(early.state.kind === 'cancelling');
    const undoUntil = new Date(early.edition.facts.balance.refundsEndAt);
    assert.doesNotMatch(render({ ...early, state: { ...early.state, undoUntil } }), /cancel again/);
  });

  test('a letter can be sent again, unless it is on its way', () => {
    const [form, ...others] = render(testView())
      .split('<form')
      .filter((part) => part.includes('action="/place/letter"'));
    assert.match(form ?? '', /name="token" value="token-against-forgery"/);
    assert.match(form ?? '', /name="kind" value="welcome"/);
    assert.equal(others.length, 0);
  });

  test('a mail to the office names her registration', () => {
    const subjectsOf = (view: OwnPageView) =>
      [...render(view).matchAll(/\?subject=([^"]+)/g)].map(([, text = '']) => decodeURIComponent(text));
    const registration = 'Wilma O’Hara, The Doorway Retreat, January 22–25, 2026 (reg_3QWilmaDeposit000000)';
    assert.deepEqual(subjectsOf(testView()), [
      `A payment plan, or paying by check: ${registration}`,
      `A question about my place: ${registration}`,
    ]);
    assert.ok(subjectsOf(viewNamed('disputed')).includes(`Cancelling my place: ${registration}`));
    for (const [name, view] of Object.entries(testViews))
      for (const subject of subjectsOf(view)) assert.match(subject, / \(reg_\w+\)$/, name);
  });
});

describe('what her page does not reveal or trust', () => {
  test('the phone number that proves her identity is not on it, in any state', () => {
    for (const [name, view] of Object.entries(testViews)) assert.doesNotMatch(render(view), /555-0142/, name);
  });

  test('an address that reports a payment is not believed while something is left to pay', () => {
    assert.doesNotMatch(render(testView({ told: 'paid' })), /Your payment has arrived/);
    assert.match(
      render(testView({ told: 'card-changed' })),
      /role="status"[^>]*>Your new card is stored\. Nothing was charged by that\./,
    );
  });

  test('times are not repeated for an unknown time zone, or for one with the retreat’s hours', () => {
    for (const timeZone of ['Etc/Unknown', '', 'America/Los_Angeles', 'America/Tijuana']) {
      const view = testView({ registrant: { ...testView().registrant, timeZone } });
      const words = wordsOf(render(view));
      assert.equal(words.includes('for you'), false, timeZone);
      assert.ok(words.includes('All times are Pacific Time (PT).'), timeZone);
    }
  });
});

describe('in every state', () => {
  const pages = Object.entries(testViews).map(([name, view]) => [name, render(view)] as const);

  test('headings follow each other in order, and ids are unique', () => {
    for (const [name, html] of pages) {
      const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
      assert.equal(levels.filter((level) => level === 1).length, 1, name);
      levels.forEach((level, index) => {
        assert.ok(level <= (levels[index - 1] ?? 0) + 1, `${name}: ${levels}`);
      });
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, `${name}: ${ids}`);
    }
  });

  test('nothing is inline except the script that every page has', () => {
    for (const [name, html] of pages) {
      assert.equal(html.match(/<script>/g)?.length, 1, name);
      assert.doesNotMatch(html, / style="| on\w+="/, name);
    }
  });
});

describe('the page on which she cancels', () => {
  const cancelPage = (name: string, changes: Partial<OwnPageView> = {}, sent?: Sent) => {
    const view = { ...viewNamed(name), ...changes };
    assert.ok(view.offer, name);
    return renderCancelDocument({ view, offer: view.offer, office, look, ...(sent && { sent }) });
  };

  const withoutCard = (offer: OwnPageView['offer']): OwnPageView['offer'] => {
    assert.ok(offer);
    const { card: _, ...rest } = offer;
    return rest;
  };

  for (const [what, html, ...expected] of [
    [
      'before the balance is charged',
      cancelPage('charged-later'),
      'Comes back to you $0 By the policies that you agreed to, the deposit is not refunded.',
      'Nothing comes back, and nothing more is charged.',
      'If you cancel before 5:00 pm Pacific Time on December 21, nothing is charged.',
      'For 24 hours you can undo it on your page, just as easily.',
      'by e-mail or post: write to retreats@office.example or send a letter to Sample Retreats LLC, 1 Example Street, Sampletown, CA 95060. What counts is when you write.',
    ],
    [
      'once it is paid, in time',
      cancelPage('settled-in-time'),
      'Of the balance of $700 $700 Cancelled by the end of December 21: all of it comes back. Of its card fee of $26.25 $0 The card fee is not refunded.',
      '$700 goes back to your Visa ending in 4242, with which you paid the balance, once the 24 hours are over in which you can undo it. Banks usually show it within 5 to 10 business days.',
      'Until Sunday, December 21, 2025, at 11:59 pm Pacific Time (for you Mon, Dec 22, 8:59 am), you get $700. After that, nothing comes back.',
    ],
    [
      'once it is paid with two cards',
      cancelPage('settled-in-time', { offer: withoutCard(viewNamed('settled-in-time').offer) }),
      '$700 goes back to the cards that paid, once the 24 hours are over in which you can undo it.',
    ],
  ] as const) {
    test(what, () => assertSays(html, expected));
  }

  test('its form carries the sum that it shows, and what she has paid', () => {
    const html = cancelPage('settled-in-time');
    assert.match(html, /<form[^>]*action="\/place\/cancel" method="post"/);
    for (const [name, value] of [
      ['token', 'token-against-forgery'],
      ['cents', '70000'],
      ['paid', '144725'],
    ])
      assert.ok(html.includes(`type="hidden" name="${name}" value="${value}"`), name);
    assert.doesNotMatch(html, /<script[^>]*src=/);
  });

  test('an error is linked with its field; after too many tries the page refers her to the office', () => {
    const html = cancelPage('charged-later', {}, { typed: {}, errors: { proof: 'This does not match' } });
    assert.match(html, /Nothing was done yet.*<a href="#field-proof">This does not match<\/a>/);
    assert.match(html, /aria-invalid="true" aria-describedby="field-proof-note field-proof-error"/);
    const spent = cancelPage('charged-later', {}, { typed: {}, errors: {}, proofsSpent: true });
    assert.doesNotMatch(spent, /<form/);
    assert.match(spent, /You can still cancel today: write to the office/);
    assert.equal(spent.match(/That was tried too often/g)?.length, 1);
  });
});

describe('the page on which she agrees to a payment plan', () => {
  const planPage = (name: string, changes: Partial<OwnPageView> = {}) => {
    const view = { ...viewNamed(name), ...changes };
    return renderPlanDocument({ view, plan: view.plan ?? assert.fail(name), office, look });
  };

  test('all parts by card and by check, what agreeing means, and the moment of the decision', () => {
    const html = planPage('plan-to-agree');
    assertSays(html, [
      'Part 1 of 3 $242.09 planned for December 10, 2025; by check $233.34, no card fee',
      'Part 3 of 3 $242.08 planned for January 10, 2026; by check $233.33, no card fee In all $726.25',
      'Each part is charged to your Visa ending in 4242, or to another card that you give later, on its date. We e-mail you at least three days before',
      'You can pay a part before its date on your page.',
      'The rules on cancelling stay as they are. Once you cancel, no further part is charged.',
      'the video room is open to you in its time, as long as no part is overdue.',
    ]);
    assert.match(html, /<form[^>]*action="\/place\/plan" method="post"/);
    assert.match(html, /name="decided" value="2025-12-01T18:00:00\.000Z"/);
    assert.match(html, /name="cents" value="72625"/);
    assert.doesNotMatch(html, /<script[^>]*src=/);
  });

  test('once she has agreed it says when, and while the plan is paused it names no day and asks for nothing', () => {
    const agreed = planPage('plan-part-paid');
    assert.match(
      wordsOf(agreed),
      /You agreed to these dates on December 2, 2025\..*Part 1 of 3 \$242\.09 paid/,
    );
    const paused = planPage('plan-paused');
    for (const html of [agreed, paused]) assert.doesNotMatch(html, /<form/);
    assert.doesNotMatch(wordsOf(paused), /Part [23] of 3 \$[\d.]+ [^;]*(?:December|January)|on its date/);
  });

  test('the room is promised only where the edition opens it while she pays', () => {
    const { edition } = viewNamed('plan-to-agree');
    const onlyOncePaid = { ...edition, plans: { roomWhilePaying: false, offered: [] } };
    const words = wordsOf(planPage('plan-to-agree', { edition: onlyOncePaid }));
    assert.match(words, /The video room opens to you once all parts are paid\./);
  });
});

test('the page of a paused plan names no day of a charge', () => {
  const [, shown = ''] = /id="balance"(.*)id="days"/s.exec(render(viewNamed('plan-paused'))) ?? [];
  assert.doesNotMatch(wordsOf(shown), /December 21|January 10/);
});

test('a part that has just arrived is named; a payment that she only began is not reported', () => {
  const view = viewNamed('plan-part-paid');
  const at = view.payments.at(-1)?.at ?? assert.fail();
  const toldAt = (now: Date) => wordsOf(render({ ...view, told: 'paid', now }));
  assert.match(toldAt(at), /Thank you\. Part 1 of 3 of your payment plan has arrived\./);
  assert.doesNotMatch(toldAt(view.now), /has arrived/);
});

describe('the pages on which she corrects her details', () => {
  test('her name is filled in, her phone number is masked, and a field with an error says so', () => {
    const view = testView();
    const html = renderDetailsDocument({ view, office, look });
    assert.match(html, /name="firstName"[^>]*value="Wilma"/);
    assert.match(wordsOf(html), /Leave it empty to keep \+1 \(555\) •••-••••\./);
    const sent = { typed: { firstName: '' }, errors: { firstName: 'First name is required' } };
    const again = renderDetailsDocument({ view, office, look, sent });
    assert.match(again, /id="field-firstName"[^>]*aria-invalid="true"[^>]*value=""/);
  });

  test('the page on which she gives a new address says what happens', () => {
    const html = renderAddressDocument({ view: testView(), office, look });
    assert.match(wordsOf(html), /We write to wilma@example\.org\. We send an e-mail to the new address/);
  });

  test('a new address is confirmed by one button', () => {
    const { facts } = testView().edition;
    const shown = { facts, address: 'wilma@new.example', office, look };
    const asked = renderConfirmDocument({ ...shown, link: 'v1.token' });
    assert.match(asked, /action="\/place\/address\/confirm".*name="link" value="v1\.token"/);
    assert.equal(asked.match(/<button/g)?.length, 1);
    const done = renderConfirmDocument(shown);
    assert.match(done, /action="\/place\/link".*name="email" value="wilma@new\.example"/);
  });
});

describe('receipts', () => {
  test('a part of a payment plan has its own', () => {
    const words = wordsOf(renderReceiptsDocument({ view: viewNamed('plan-part-paid'), office, look }));
    assert.match(
      words,
      /Receipt for part 1 of 3 of the balance.*Balance of the tuition, part 1 of 3 \$233\.34/,
    );
  });

  test('both payments with their parts, and what was taken off', () => {
    const at = new Date('2025-12-23T17:00:00-08:00');
    const back = { what: 'refund', way: 'card', feeCents: 0 } as const;
    const view = testView({
      payments: viewNamed('settled-news').payments,
      reduced: { cents: 20_000, as: 'scholarship' },
      repayments: [
        { ...back, cents: -10_000, status: 'paid', at },
        { ...back, cents: -5_000, status: 'pending', at: new Date('2025-12-24T17:00:00-08:00') },
      ],
    });
    assertSays(renderReceiptsDocument({ view, office, look }), [
      'Sample Retreats LLC 1 Example Street, Sampletown, CA 95060',
      'Receipt for the deposit For The Doorway Retreat, January 22–25, 2026 Name Wilma O’Hara Paid on December 1, 2025 Paid by card Deposit on the tuition $695 Card fee (3.75%) $26 Paid in all $721 (US dollars) Reference pi_3QWilmaDeposit000000',
      'Balance of the tuition $700 Card fee (3.75%) $26.25 Paid in all $726.25 (US dollars) Reference pi_3QWilmaBalance000000',
      'Your scholarship: $200.',
      '$100 was given back to your card on December 23, 2025.',
      '$50 has been on its way back to your card since December 24, 2025.',
    ]);
  });

  test('a check has no fee and no reference', () => {
    const [, check] = viewNamed('settled-by-check').payments;
    assert.ok(check);
    const words = wordsOf(renderReceiptsDocument({ view: testView({ payments: [check] }), office, look }));
    assert.ok(
      words.includes('Paid by check Balance of the tuition $700 Paid in all $700 (US dollars)'),
      words,
    );
    assert.doesNotMatch(words, /Card fee|Reference/);
  });
});

test('the page that offers a new link offers it only where that can help, and names the office', () => {
  for (const [reason, asks] of [
    ['none', true],
    ['no-cookie', false],
    ['invalid', true],
    ['unconfirmed', true],
    ['asked', false],
    ['asked-too-often', false],
    ['too-many', false],
    ['not-recorded', false],
  ] as const) {
    const html = renderLinkDocument({ reason, office, look });
    assert.equal(html.includes('action="/place/link"'), asks, reason);
    assert.match(html, /<meta name="robots" content="noindex"\/>/);
    assert.match(html, /mailto:retreats@office\.example/);
    assert.equal(html.match(/<h1/g)?.length, 1);
  }
});
