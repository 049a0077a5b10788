import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  AddressDocument,
  CancelDocument,
  CardDocument,
  ConfirmDocument,
  DetailsDocument,
  LinkDocument,
  OwnPageDocument,
  PayDocument,
  PlanDocument,
  ReceiptsDocument,
  renderDocument,
} from '#client/entry.server.tsx';
import { testKeptWords } from '#server/testing/kept-words.ts';
import { testOffice, testView, testViews, viewsNow } from '#server/testing/own-page-views.ts';
import { sellWithoutFee } from '#server/testing/test-editions.ts';
import { payNowOf } from '#shared/content/own-page-pay.ts';
import type { OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import { type LinkReason, linkWords } from '#shared/content/own-page-words.ts';

const shown = { office: testOffice, look: { styleSheet: '/static/css/place-TEST.css', fonts: [] } };
const render = (view: OwnPageView) => renderDocument(OwnPageDocument, { ...shown, isMeasured: false, view });
const viewNamed = (name: string): OwnPageView => testViews[name] ?? assert.fail(name);

const INLINE = new Set(['a', 'br', 'i', 'span', 'strong', 'time', 'wbr']);
const ofField = (name: string, value: string) => (value ? `{${name}=${value}}` : `{${name}}`);

/** What is read and pressed there, a line for each block: headings, links and forms with where they lead, and fields. */
function linesOf(html: string): string[] {
  return html
    .replace(/<head>.*<\/head>|<svg.*?<\/svg>|<select.*?<\/select>/gs, '')
    .replace(/<(\/?)([a-z]+[1-6]?)([^>]*)>/g, (_tag, closes: string, name: string, rest: string) => {
      const attribute = (key: string) => new RegExp(` ${key}="([^"]*)"`).exec(rest)?.[1] ?? '';
      const line = INLINE.has(name) ? ' ' : '\n';
      if (closes) return line;
      const [role, href, action] = [attribute('role'), attribute('href'), attribute('action')];
      if (name === 'input') return ` ${ofField(attribute('name'), attribute('value'))} `;
      if (/^h[1-6]$/.test(name)) return `\n${'#'.repeat(Number(name.slice(1)))} `;
      return `${line}${role && `(${role}) `}${href && `[${href}] `}${action && `[POST ${action}] `}`;
    })
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/(?:%[\dA-F]{2})+/g, decodeURIComponent)
    .split('\n')
    .map((line) => line.replaceAll(/[\s\u00a0]+/g, ' ').trim())
    .filter(Boolean);
}
const words = (html: string): string => linesOf(html).join('\n');

const base = linesOf(render(viewNamed('charged-later')));
/** Her page in a state, beside that of somebody whose balance is charged later: what it lacks of headings, links and forms (-), and what it has otherwise. */
function difference(html: string): string {
  const lines = linesOf(html);
  const lacks = base.filter((line) => /^[#[]/.test(line) && !lines.includes(line));
  return [...lacks.map((line) => `- ${line}`), ...lines.filter((line) => !base.includes(line))].join('\n');
}

const cancelPage = (view: OwnPageView, sent?: Sent): string =>
  renderDocument(CancelDocument, { ...shown, view, offer: view.offer ?? assert.fail(), sent });
const planPage = (view: OwnPageView): string =>
  renderDocument(PlanDocument, { ...shown, view, plan: view.plan ?? assert.fail() });
const payPage = (view: OwnPageView): string =>
  renderDocument(PayDocument, { ...shown, view, paying: payNowOf(view) ?? assert.fail() });
const receipts = (view: OwnPageView): string => renderDocument(ReceiptsDocument, { ...shown, view });

const inRetreat = (moment: string): string =>
  render({ ...viewNamed('settled-room-open'), now: new Date(`${moment}:00-08:00`) });
const twoCards = (): OwnPageView => {
  const view = viewNamed('settled-in-time');
  const { card: _, ...offer } = view.offer ?? assert.fail();
  return { ...view, offer };
};
const linkBank = (): OwnPageView => {
  const card = { brand: 'link', last4: '0000', expMonth: 12, expYear: 2040 };
  return { ...viewNamed('charged-later'), card: { ...card, expired: false, expiresBeforeDue: false } };
};
const givenBack = (): OwnPageView => {
  const back = { what: 'refund', way: 'card', feeCents: 0 } as const;
  const at = new Date('2025-12-23T17:00:00-08:00');
  return testView({
    payments: viewNamed('settled-news').payments,
    reduced: { cents: 20_000, as: 'scholarship' },
    repayments: [
      { ...back, cents: -10_000, status: 'paid', at },
      { ...back, cents: -5_000, status: 'pending', at: new Date('2025-12-24T17:00:00-08:00') },
    ],
  });
};
const roomOncePaid = (): OwnPageView => {
  const { edition, ...view } = viewNamed('plan-to-agree');
  return { ...view, edition: { ...edition, plans: { roomWhilePaying: false, offered: [] } } };
};
const partJustPaid = (): OwnPageView => {
  const view = viewNamed('plan-part-paid');
  return { ...view, told: 'paid', now: view.payments.at(-1)?.at ?? assert.fail() };
};
const roomShut = (): OwnPageView => {
  const { room: _, ...view } = viewNamed('settled-room-open');
  return view;
};
const wrongProof = { typed: {}, errors: { proof: 'This does not match' } };
const confirmed = { ...shown, facts: testView().edition.facts, address: 'wilma@new.example' };

const FILE = join(import.meta.dirname, 'words.snapshot.txt');
const reasons = Object.keys(linkWords.text).filter((key): key is LinkReason => key in linkWords.text);
const said = new Map([
  ['her page', base.join('\n')],
  ...Object.entries(testViews)
    .slice(1)
    .map(([name, view]) => [name, difference(render(view))] as const),
  ['not admitted while the room is open to others', difference(render(roomShut()))],
  ['during a session', difference(inRetreat('2026-01-23T10:45'))],
  ['between two sessions', difference(inRetreat('2026-01-23T23:00'))],
  ['before the recordings', difference(inRetreat('2026-01-25T12:30'))],
  ['while the recordings are late', difference(inRetreat('2026-01-27T09:00'))],
  ['a bank account in Link', difference(render(linkBank()))],
  ['a part has just arrived', difference(render(partJustPaid()))],
  ['she may only read', difference(render({ ...testView(), mayAct: false, token: '' }))],
  ...['charged-later', 'settled-in-time'].map(
    (name) => [`cancel: ${name}`, words(cancelPage(viewNamed(name)))] as const,
  ),
  ['cancel: paid with two cards', words(cancelPage(twoCards()))],
  ['cancel: a wrong proof', words(cancelPage(testView(), wrongProof))],
  [
    'cancel: too many wrong proofs',
    words(cancelPage(testView(), { typed: {}, errors: {}, proofsSpent: true })),
  ],
  ...['charged-later', 'plan-part-paid'].map(
    (name) => [`pay: ${name}`, words(payPage(viewNamed(name)))] as const,
  ),
  ...['charged-later', 'retrying', 'to-pay', 'held', 'plan-part-paid', 'plan-part-missed'].map(
    (name) =>
      [`card: ${name}`, words(renderDocument(CardDocument, { ...shown, view: viewNamed(name) }))] as const,
  ),
  ...['plan-to-agree', 'plan-part-paid', 'plan-paused'].map(
    (name) => [`plan: ${name}`, words(planPage(viewNamed(name)))] as const,
  ),
  ['plan: the room once all is paid', words(planPage(roomOncePaid()))],
  ['details', words(renderDocument(DetailsDocument, { ...shown, view: testView() }))],
  [
    'details: a name is missing',
    words(
      renderDocument(DetailsDocument, {
        ...shown,
        view: testView(),
        sent: { typed: { firstName: '' }, errors: { firstName: 'First name is required' } },
      }),
    ),
  ],
  ['address', words(renderDocument(AddressDocument, { ...shown, view: testView() }))],
  ['address: to confirm', words(renderDocument(ConfirmDocument, { ...confirmed, link: 'v1.token' }))],
  ['address: confirmed', words(renderDocument(ConfirmDocument, confirmed))],
  ['receipts: given back', words(receipts(givenBack()))],
  ['receipts: a part', words(receipts(viewNamed('plan-part-paid')))],
  ['receipts: a check', words(receipts(viewNamed('settled-by-check')))],
  ...reasons.map(
    (reason) => [`link: ${reason}`, words(renderDocument(LinkDocument, { ...shown, reason }))] as const,
  ),
]);

describe('R8 what her page and its forms say, and where they lead, is what is on file', () => {
  testKeptWords(FILE, said);
});

describe('in every state', () => {
  const pages = Object.entries(testViews).map(([name, view]) => ({ name, view, html: render(view) }));

  test('with read-only access she sees one sentence in place of the acts', () => {
    for (const { name, view } of pages) {
      const html = render({ ...view, mayAct: false, token: '' });
      const forms = [...html.matchAll(/<form[^>]*action="([^"]*)"/g)].map(([, action]) => action);
      assert.deepEqual(forms, ['/place/leave'], name);
      assert.doesNotMatch(html, /href="\/place\/(?:pay|card|cancel|details|address|undo)"|<option/, name);
      assert.equal(html.split('Open the link in your welcome e-mail to pay').length, 2, name);
    }
  });

  test('the phone number that proves her identity is not on it, and nothing is inline but the theme’s script', () => {
    for (const { name, html } of pages) {
      assert.doesNotMatch(html, /555-0142| style="| on\w+="/, name);
      assert.equal(html.match(/<script/g)?.length, 1, name);
    }
  });

  test('headings follow each other in order, and ids are unique', () => {
    for (const { name, html } of pages) {
      const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
      assert.equal(levels.filter((level) => level === 1).length, 1, name);
      levels.forEach((level, index) => {
        assert.ok(level <= (levels[index - 1] ?? 0) + 1, `${name}: ${levels}`);
      });
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, `${name}: ${ids}`);
    }
  });
});

test('today is marked, by her own days', () => {
  for (const [moment, day] of [
    ['2026-01-23T10:45', '2026-01-23'],
    ['2026-01-23T23:00', '2026-01-24'],
  ] as const) {
    const marked = [...inRetreat(moment).matchAll(/dateTime="([\d-]+)" aria-current="date">/g)];
    assert.deepEqual(
      marked.map(([, date]) => date),
      [day],
    );
  }
});

test('R8 her page names no card fee where none is asked', (t) => {
  const unpaid = ['charged-later', 'to-pay', 'by-check', 'plan-to-agree', 'held', 'held-for-a-card'];
  sellWithoutFee(t);
  const views = Object.entries(viewsNow()).filter(([name]) => unpaid.includes(name));
  const alike = views.map(([, view]) => words(render(view) + (view.plan ? planPage(view) : ''))).join('\n');
  assert.doesNotMatch(alike, /card fee|fee of|\b0%|\$0\b/i);
  for (const same of [
    'Each sum is the same by card and by check.',
    'There are payment plans.',
    '$700 is left',
  ])
    assert.ok(alike.includes(same), `${same}: ${alike}`);
});

test('an address that reports a payment is not believed while something is left to pay, nor long after it', () => {
  for (const view of [testView(), viewNamed('plan-part-paid')])
    assert.doesNotMatch(render({ ...view, told: 'paid' }), /has arrived\./);
});

test('times are not repeated for an unknown time zone, or for one with the retreat’s hours; she can choose any', () => {
  const { registrant, edition } = testView();
  for (const timeZone of [
    'Etc/Unknown',
    '',
    'America/Los_Angeles',
    'America/Tijuana',
    'Pacific/Kiritimati',
  ]) {
    const html = render(testView({ registrant: { ...registrant, timeZone } }));
    const isOther = timeZone === 'Pacific/Kiritimati';
    assert.equal(html.includes('for you'), isOther, timeZone);
    const [, chosen] = /<option value="([^"]+)" selected/.exec(html) ?? [];
    if (isOther) assert.equal(chosen, timeZone);
    assert.ok(html.includes(`<option value="${edition.timetable.timeZone.id}"`), timeZone);
  }
});

test('an error is tied to its field, and no page is indexed', () => {
  const wrong = cancelPage(testView(), wrongProof);
  assert.match(wrong, /aria-invalid="true" aria-describedby="field-proof-note field-proof-error"/);
  assert.match(renderDocument(LinkDocument, { ...shown, reason: 'none' }), /name="robots" content="noindex"/);
});
