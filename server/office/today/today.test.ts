import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { addressDigest, type RegistrationRecord } from '#server/registration/registration.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { limitPlaces } from '#server/testing/test-editions.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { BEGUN, type Changes, card, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { formatCents } from '#shared/money.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const dueAt = new Date(edition.facts.balance.chargeAt);
const { balanceCents, depositCents } = edition.facts.prices;
const [version = ''] = edition.agreed.map((terms) => terms.version);

function personNamed(firstName: string, changes: Changes = {}): RegistrationRecord {
  const email = `${firstName.toLowerCase()}@example.org`;
  const registrant = { firstName, lastName: 'Holt', email, phoneNumber: '', timeZone: '' };
  return recordWith({ id: `reg_${firstName.toLowerCase()}`, registrant, ...changes });
}

/** Her card is charged for the balance on its day. */
function charged(firstName: string): RegistrationRecord {
  const to = addressDigest(`${firstName.toLowerCase()}@example.org`);
  return personNamed(firstName, {
    card,
    agreement: { version, digest: 'a'.repeat(64), agreedAt: BEGUN },
    notices: [{ at: new Date(dueAt.getTime() - 5 * DAY_MS), dueAt, cents: balanceCents, to }],
  });
}

async function seeToday(t: TestContext, records: readonly RegistrationRecord[], now: Date) {
  const office = await startOffice(t, { now: () => now });
  await putOnRecord(office.database, records);
  const { document, text } = await office.see('/office');
  /** What a section says, without the spaces between its elements. */
  const says = (id: string) =>
    document.querySelector(`#${id}`)?.parentElement?.textContent?.replaceAll('\u00a0', ' ') ?? '';
  const presses = [...document.querySelectorAll('#needs ~ ul a.button')].map((link) => [
    link.textContent,
    link.getAttribute('href'),
  ]);
  return { text, says, presses };
}

describe('today', () => {
  test('says who needs the office, each with the press that helps where one is possible', async (t) => {
    const by = { at: BEGUN, by: 'Anna' };
    const records = [
      personNamed('Cora', { decisions: { check: by } }),
      personNamed('Dina', { disputed: true }),
      charged('Ella'),
    ];
    const { says, presses } = await seeToday(t, records, new Date(dueAt.getTime() + HOUR_MS));
    assert.match(says('needs'), /Cora Holt.*Check promised, and not here by the due day/);
    assert.match(says('needs'), /Dina Holt.*A charge is disputed/);
    assert.doesNotMatch(says('needs'), /Ella/);
    assert.deepEqual(presses.toSorted(), [
      ['A check or a transfer has come', '/office/registrations/reg_cora/received'],
      ['The dispute is over', '/office/registrations/reg_dina/dispute-over'],
    ]);
  });

  test('foretells by the day what the worker will charge and send, and nothing that something prevents', async (t) => {
    const now = new Date(dueAt.getTime() - HOUR_MS);
    const records = [charged('Ella'), charged('Fay'), personNamed('Gwen')];
    const { says } = await seeToday(t, records, now);
    assert.match(says('by-itself'), /^What happens by itselfToday2 cards are charged: /);
    assert.ok(says('by-itself').includes(formatCents(2 * balanceCents)), says('by-itself'));
    assert.doesNotMatch(says('by-itself'), /Gwen/);
    const { says: before } = await seeToday(t, records, new Date(now.getTime() - DAY_MS));
    assert.match(before('by-itself'), /Tomorrow2 cards are charged/);
    assert.doesNotMatch(before('by-itself').replace(/Tomorrow.*/, ''), /cards are charged/);
  });

  test('tells what came in since yesterday, the newest first, the places, and the sums', async (t) => {
    limitPlaces(t, 30);
    const { says } = await seeToday(t, [personNamed('Cora')], new Date(BEGUN.getTime() + HOUR_MS));
    assert.match(says('since'), new RegExp(`Cora Holt: paid the deposit of \\${formatCents(depositCents)}`));
    assert.match(says('sums'), /^Places and money1 of 30 places are paid; 29 can be offered\./);
    assert.ok(
      says('sums').includes(
        `${formatCents(depositCents)} came in; ${formatCents(balanceCents)} is still to pay.`,
      ),
    );
  });

  test('is kind when nothing is there', async (t) => {
    const { text } = await seeToday(t, [], BEGUN);
    assert.match(text, /Nobody needs you at the moment/);
    assert.match(text, /It has been quiet/);
  });
});
