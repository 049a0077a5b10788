import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { contactOf, missingWays } from './office.ts';

const office = { email: 'office@retreat.example', phone: '+1 (555) 555-0100' };
const fax = '+1 (555) 555-0101';
const postalAddress = '1 Example Street, Sampletown';

test('R8 each way to cancel that the office does not offer is named with its variable', () => {
  assert.deepEqual(missingWays({ ...office, fax, postalAddress }), []);
  const [byFax, byPost, ...others] = missingWays(office);
  assert.match(byFax ?? '', /^OFFICE_FAX is not set: .* does not offer fax$/);
  assert.match(byPost ?? '', /^OFFICE_POSTAL_ADDRESS is not set: .* does not offer post$/);
  assert.deepEqual(others, []);
  assert.deepEqual(missingWays({ ...office, fax }), [byPost]);
});

test('R8 contact details that are not configured are null in the page and the letters', () => {
  const { officeFax, officePostalAddress, officeLegalName } = contactOf(office);
  assert.deepEqual([officeFax, officePostalAddress, officeLegalName], [null, null, null]);
  assert.equal(contactOf({ ...office, fax }).officeFax, fax);
});

test('R8 the start warns of each way to cancel that is not configured', async (t) => {
  const { start } = await prepareAppProcesses(t);
  const { lines } = await start();
  for (const warning of missingWays(office)) {
    assert.ok(
      lines.some((line) => line.includes(warning) && line.includes('"level":"warn"')),
      lines.join('\n'),
    );
  }
});
