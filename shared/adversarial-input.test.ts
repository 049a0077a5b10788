import { describe, test } from 'node:test';
import * as v from 'valibot';
import { assertReadFast, repeated } from '#server/testing/reading-time.ts';
import {
  contactSchema,
  createPaymentRequestSchema,
  fieldErrors,
  idempotencyKeySchema,
  paymentSchema,
} from './registration.ts';
import { vitalsReportSchema } from './vitals.ts';

/** The size limit of the route that takes the reports. */
const MAX_VITALS_BYTES = 1_000;

/** Each is built to make some pattern or normalization try many possibilities in vain. */
const hostileTexts = {
  'parts of a client secret': repeated('_secret', { start: 'pi_' }),
  'client secrets in a row': repeated('a_secret_', { start: 'pi_a_secret_', end: '!' }),
  'parts of a client secret, and a wrong end': repeated('_secret_', { start: 'pi_a', end: '!' }),
  'marks in the wrong order': `a${repeated('\u0301', { bytes: 8_000 })}${repeated('\u0323', { bytes: 8_000 })}`,
  'marks in turn': repeated('\u0301\u0323', { start: 'a' }),
  'marks of three classes': repeated('\u0345\u0301\u0323', { start: 'a' }),
  'one character that normalizes to eighteen': repeated('\ufdfa'),
  'white space within': repeated(' ', { start: 'x', end: 'x' }),
  'white space alone': repeated('\u2003'),
  'control characters': repeated('\u0000', { start: 'x', end: 'x' }),
  'invisible marks': repeated('\u200b', { start: 'x', end: 'x' }),
  parentheses: repeated('('),
  'parentheses, and a wrong end': repeated('(', { end: 'x' }),
  'digits with spaces': repeated('5 ', { end: 'x' }),
  'beginnings of extensions': repeated(' ,;', { start: '5550142', end: 'x' }),
  extensions: repeated('#1'),
  'words before a number': repeated('tel:'),
  'parts of a time zone': repeated('a/', { end: '!' }),
  'parts of an address before the @': repeated('a.', { end: '@' }),
  'parts of an address after the @': repeated('a.', { start: 'a@' }),
  'labels that end in hyphens': repeated('a-.', { start: 'a@' }),
  'hyphens in a label': repeated('a-', { start: 'a@', end: '.' }),
  'many @': repeated('a@'),
  'a long domain in its own script': repeated('ü.', { start: 'a@', end: 'example' }),
  'quoted parts': repeated('"a".', { end: '@example.org' }),
  commas: repeated(','),
  'half characters': repeated('\ud800'),
};

const contact = {
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
};

const schemas = {
  contactSchema: [contactSchema, contact],
  createPaymentRequestSchema: [createPaymentRequestSchema, { ...contact, package: 'january_2026_retreat' }],
  paymentSchema: [paymentSchema, {}],
} as const;

describe('R3.6 any input is parsed in a time that depends on its size only', () => {
  for (const [name, [schema, others]] of Object.entries(schemas)) {
    for (const field of Object.keys(schema.entries)) {
      test(`${field} of ${name}`, async () => {
        const read = (text: string): void => {
          const values = { ...others, [field]: text };
          v.safeParse(schema, values);
          fieldErrors(schema, values);
        };
        for (const [what, text] of Object.entries(hostileTexts)) await assertReadFast(read, text, what);
      });
    }
  }

  test('idempotencyKeySchema', async () => {
    const read = (text: string) => v.safeParse(idempotencyKeySchema, text);
    for (const [what, text] of Object.entries(hostileTexts)) await assertReadFast(read, text, what);
  });

  test('vitalsReportSchema', async () => {
    const bodySchema = v.pipe(v.string(), v.parseJson(), vitalsReportSchema);
    const read = (body: string) => v.safeParse(bodySchema, body);
    const vital = '{"name":"CLS","value":0}';
    for (const entry of [
      '0',
      '[]',
      '{}',
      '{"name":0}',
      '{"name":"CLS"}',
      '{"name":"FID","value":-1}',
      vital,
    ]) {
      const list = { start: '{"vitals":[', end: `${vital}]}`, bytes: MAX_VITALS_BYTES };
      await assertReadFast(read, repeated(`${entry},`, list), entry);
    }
  });
});
