import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OfficeContact } from '#shared/page.ts';
import { edition } from './compiled/january-2026.ts';
import { policiesOf } from './policies.ts';

const office = {
  officeEmail: 'retreats@office.example',
  officePhone: '+1 555 0100',
  officeFax: '+1 555 0101',
  officePostalAddress: '1 Example Street, Sampletown',
  officeLegalName: 'Sample Retreats LLC',
};

/** The text of the policy with a title. */
function textOf(title: string, given: Partial<OfficeContact> = {}): string {
  const all = policiesOf(edition.terms, { ...office, ...given }, edition.facts.siteName);
  const policy = all.find((candidate) => candidate.title === title);
  assert.ok(policy, `There is no ${title}`);
  return policy.paragraphs.join(' ').replaceAll('\u00a0', ' ');
}

test('R8 the payment policy shows how the deposit and the balance are calculated', () => {
  const text = textOf('Registration Payment Policy');
  for (const figure of ['$695 plus a 3.75%', '$721', 'December 21, 2025', '$700 plus the 3.75%', '$726.25']) {
    assert.ok(text.includes(figure), figure);
  }
  assert.ok(text.includes(office.officeEmail) && text.includes(office.officePhone));
});

test('the payment policy says what card networks require her to agree to for a stored card', () => {
  const text = textOf('Registration Payment Policy');
  for (const rule of [
    /You agree that our payment provider keeps your card/,
    /charge it once more without you being present, \$726\.25, for the balance of this retreat and nothing else/,
    /within 7 days before December 21, 2025, or later, the balance is charged 7 days after your deposit/,
    /as long as the retreat is still ahead\. If it is not, we ask you to pay/,
    /announce the charge by e-mail at least three days before/,
    /On your own page, .* you can use another card or pay earlier/,
    /To pay in another way, write or call/,
  ]) {
    assert.match(text, rule);
  }
  assert.match(textOf('Cancellation Policy'), /Once you have cancelled, your card is not charged again/);
});

test('R8 the cancellation policy: deposit kept, refund by the balance date, in writing', () => {
  const text = textOf('Cancellation Policy');
  for (const rule of [
    /non-refundable/,
    /by December 21, 2025/,
    /no refunds, transfers or credits/,
    /e-mail, fax or post/,
  ]) {
    assert.match(text, rule);
  }
});

for (const [given, offered] of [
  [
    {},
    'by e-mail, fax or post: write to retreats@office.example, fax +1 555 0101 or send a letter to Sample Retreats LLC, 1 Example Street, Sampletown.',
  ],
  [
    { officeLegalName: null },
    'by e-mail, fax or post: write to retreats@office.example, fax +1 555 0101 or send a letter to The Doorway Retreat, 1 Example Street, Sampletown.',
  ],
  [{ officePostalAddress: null }, 'by e-mail or fax: write to retreats@office.example or fax +1 555 0101.'],
  [
    { officeFax: null },
    'by e-mail or post: write to retreats@office.example or send a letter to Sample Retreats LLC, 1 Example Street, Sampletown.',
  ],
  [{ officeFax: null, officePostalAddress: null }, 'by e-mail: write to retreats@office.example.'],
] as const) {
  test(`R8 cancelling in writing is offered with its addresses, ${offered.split(':')[0]}, with ${Object.keys(given).join(', ') || 'nothing'} missing`, () => {
    const last = textOf('Cancellation Policy', given).split('credits. ')[1];
    assert.equal(last, `Cancellations must be made in writing, on your own page or ${offered}`);
  });
}

test('R8 the recording notice names what is recorded, what is not, and consent', () => {
  const text = textOf('Audio and video recording');
  assert.match(text, /are recorded \(audio and video\), small groups aside\./);
  assert.match(text, /consent .*likeness/);
});

test('R8 the present version of the terms covers a late charge', () => {
  assert.deepEqual(edition.lateTerms, [edition.terms.version]);
});
