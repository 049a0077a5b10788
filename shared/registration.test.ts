import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { contactSchema, createPaymentRequestSchema, fieldErrors, paymentSchema } from './registration.ts';

const contact = {
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
};

const payment = {
  billingName: 'Wilma O’Hara',
  cardNumber: '••••',
  cardExpiry: '••••',
  cardCvc: '••••',
  addressLine1: '12 Orchard Lane',
  addressLine2: '',
  addressCity: 'Santa Cruz',
  addressState: 'CA',
  addressPostalCode: '95060',
  addressCountry: 'US',
  termsAgreement: true,
};

const contactErrors = (changes: object) => fieldErrors(contactSchema, { ...contact, ...changes });
const paymentErrors = (changes: object) => fieldErrors(paymentSchema, { ...payment, ...changes });
const badEmail = { email: 'A valid email is required' };
const noEmail = { email: 'Email is required' };
const badPhone = { phoneNumber: 'A valid phone number is required, with area code' };

describe('the contact rules', () => {
  test('R3.1 an empty form: every field says what is missing', () => {
    const missing = {
      firstName: 'First name is required',
      lastName: 'Last name is required',
      email: 'Email is required',
      phoneNumber: 'Phone is required',
    };
    assert.deepEqual(fieldErrors(contactSchema, {}), missing);
    assert.deepEqual(fieldErrors(contactSchema, undefined), missing);
    assert.deepEqual(
      fieldErrors(contactSchema, { firstName: ' ', lastName: '', email: '\t', phoneNumber: ' ' }),
      missing,
    );
  });

  test('R3.1 an email that is given must be valid', () => {
    for (const email of [
      'wilma',
      'wilma@example',
      'wilma@',
      '@example.org',
      'wilma example@x.org',
      `${'w'.repeat(250)}@example.org`,
    ]) {
      assert.deepEqual(contactErrors({ email }), badEmail);
    }
  });

  test('R3.1 unusual but valid addresses are accepted', () => {
    for (const email of [
      "o'hara@example.org",
      'wilma+retreat@mail.example.co.uk',
      'wilma@xn--mnchen-3ya.example',
    ]) {
      assert.deepEqual(contactErrors({ email }), {});
    }
  });

  test('R3.1 a domain in its own script is accepted, and sent to in its ASCII form', () => {
    const parsed = (email: string) => v.parse(contactSchema, { ...contact, email }).email;
    assert.equal(parsed('anna@bücher.example'), 'anna@xn--bcher-kva.example');
    assert.equal(parsed(' Anna@BU\u0308CHER.example '), 'Anna@xn--bcher-kva.example');
    assert.equal(parsed('anna@例え。テスト'), 'anna@xn--r8jz45g.xn--zckzah');
    assert.equal(parsed('Anna@Example.ORG'), 'Anna@Example.ORG');
    for (const email of [
      'anna@bücher',
      'anna@bücher..example',
      'anna@bücher.example/path',
      'anna@bücher.example:25',
      'ann@a@bücher.example',
      'änna@bücher.example',
      `anna@${'ü'.repeat(250)}.example`,
    ])
      assert.deepEqual(contactErrors({ email }), badEmail, email);
  });

  test('R3.1 an email is read as it was meant, however it was typed or pasted', () => {
    for (const email of [
      '\u200bwilma@example.org',
      '\u202awilma@example.org\u202c',
      '\u00a0wilma@example.org',
      'wilma＠example.org',
      'ｗｉｌｍａ@ｅｘａｍｐｌｅ．ｏｒｇ',
      'mailto:wilma@example.org',
      ' MAILTO: wilma@example.org',
    ])
      assert.equal(v.parse(contactSchema, { ...contact, email }).email, 'wilma@example.org', email);
    for (const email of ['a@b@example.org', 'a＠b@example.org', 'mailto:'])
      assert.deepEqual(contactErrors({ email }), email === 'mailto:' ? noEmail : badEmail, email);
  });

  test('R3.6 everything is trimmed', () => {
    const padded = Object.fromEntries(Object.entries(contact).map(([name, value]) => [name, `  ${value} `]));
    assert.deepEqual(v.parse(contactSchema, padded), contact);
  });

  test('R3.6 phone: 7 to 20 digits with the usual separators', () => {
    for (const phoneNumber of [
      '5550142',
      '+44 20 7946 0958',
      '(555) 555-0142',
      '555.555.0142',
      '1'.repeat(20),
    ]) {
      assert.deepEqual(contactErrors({ phoneNumber }), {}, phoneNumber);
    }
    for (const phoneNumber of ['555014', '1'.repeat(21), '555-CALL-NOW', '+1 555 + 555 0142', '-- (/) --']) {
      assert.deepEqual(contactErrors({ phoneNumber }), badPhone);
    }
  });

  test('R3.6 phone: any usual form, extensions too', () => {
    for (const phoneNumber of [
      '555–555–0142',
      '555\u2011555\u20110142',
      '555\u00a0555\u202f0142',
      '555−555−0142',
      '(+44) 20 7946 0958',
      '+44 (0)20 7946 0958',
      '＋８１－３－１２３４－５６７８',
      '\u202a+1 555 555 0142\u202c',
      '+1 555 555 0142 ext. 12',
      '+1 555 555 0142, Ext 12',
      '555 555 0142 extension 12',
      '555 555 0142x12',
      '555 555 0142 #12',
    ]) {
      assert.deepEqual(contactErrors({ phoneNumber }), {}, phoneNumber);
    }
    for (const phoneNumber of [
      '555 014 x 12',
      'x 5550142',
      '555 555 0142 ext',
      '555 555 0142 text 12',
      '555 555 0142 or 555 555 0143',
      'call me at 555 555 0142',
      `${'1'.repeat(18)} x123`,
      '555 555 0142 ☎',
      `${'('.repeat(100_000)}x`,
      `${'555 555 0142'.padEnd(100_000)}x`,
    ]) {
      assert.deepEqual(contactErrors({ phoneNumber }), badPhone, phoneNumber);
    }
  });

  test('R3.6 phone: the parsed number has ordinary characters', () => {
    const typed = { ...contact, phoneNumber: '\u202d＋1\u00a0(555)\u00a0555-0142 ＃12\u202c' };
    assert.equal(v.parse(contactSchema, typed).phoneNumber, '+1 (555) 555-0142 #12');
  });

  test('R3.6 phone: digits of any script, and any dash between them', () => {
    for (const [phoneNumber, parsed] of [
      ['٠١٢٣٤٥٦٧٨٩', '0123456789'],
      ['۰۹۱۲۳۴۵۶۷۸۹', '09123456789'],
      ['０９０－１２３４－５６７８', '090-1234-5678'],
      ['０９０ー１２３４ー５６７８', '090-1234-5678'],
      ['555·123·4567', '555-123-4567'],
      ['tel:+1-555-555-0142', '+1-555-555-0142'],
    ] as const)
      assert.equal(v.parse(contactSchema, { ...contact, phoneNumber }).phoneNumber, parsed);
  });

  test('R3.6 names of at most 100 characters', () => {
    assert.deepEqual(contactErrors({ firstName: 'w'.repeat(100) }), {});
    assert.deepEqual(contactErrors({ firstName: 'w'.repeat(101) }), {
      firstName: 'At most 100 characters',
    });
  });
});

describe('the payment rules', () => {
  test('R3.2 R3.3 an empty form: every field except the second address line says what is missing', () => {
    assert.deepEqual(fieldErrors(paymentSchema, {}), {
      billingName: 'Cardholder name is required',
      cardNumber: 'Card number is required',
      cardExpiry: 'Card expiry is required',
      cardCvc: 'Card CVC is required',
      addressLine1: 'Street is required',
      addressCity: 'City is required',
      addressState: 'State or province is required',
      addressPostalCode: 'Card postal code is required',
      addressCountry: 'Card country is required',
      termsAgreement: 'Please read the terms first',
    });
  });

  test('R3.2 a filled form has no errors', () => {
    assert.deepEqual(fieldErrors(paymentSchema, payment), {});
  });

  test('R3.2 a postal code is required if the country has postal codes, and before a country is chosen', () => {
    const missing = { addressPostalCode: 'Card postal code is required' };
    for (const addressPostalCode of ['', '  ', undefined]) {
      assert.deepEqual(paymentErrors({ addressPostalCode }), missing);
      assert.deepEqual(paymentErrors({ addressPostalCode, addressCountry: 'HK' }), {});
      assert.deepEqual(paymentErrors({ addressPostalCode, addressCountry: '' }), {
        ...missing,
        addressCountry: 'Card country is required',
      });
    }
    assert.deepEqual(paymentErrors({ addressPostalCode: '', addressCity: '' }), {
      ...missing,
      addressCity: 'City is required',
    });
    assert.deepEqual(paymentErrors({ addressPostalCode: '', addressCountry: 'HK', addressCity: '' }), {
      addressCity: 'City is required',
    });
  });

  test('R3.2 without postal codes in a country the postal code is parsed as an empty text', () => {
    const { addressPostalCode: _, ...rest } = payment;
    assert.equal(v.parse(paymentSchema, { ...rest, addressCountry: 'HK' }).addressPostalCode, '');
  });

  test('R3.2 a state is required if the addresses of the country have one, and before a country is chosen', () => {
    const missing = { addressState: 'State or province is required' };
    for (const addressState of ['', ' \u200b', undefined]) {
      for (const addressCountry of ['SG', 'IS', 'DE', 'GB', 'XK'])
        assert.deepEqual(paymentErrors({ addressState, addressCountry }), {}, addressCountry);
      for (const addressCountry of ['US', 'CA', 'AU', 'IE', 'JP'])
        assert.deepEqual(paymentErrors({ addressState, addressCountry }), missing, addressCountry);
      assert.deepEqual(paymentErrors({ addressState, addressCountry: '' }), {
        ...missing,
        addressCountry: 'Card country is required',
      });
    }
  });

  test('R3.6 the billing address is read as it was meant', () => {
    const typed = {
      ...payment,
      addressCountry: 'JP',
      addressPostalCode: '１０６－００３２',
      addressCity: '\u200b港区',
      addressState: '東京都\u3000',
    };
    const { addressPostalCode, addressCity, addressState } = v.parse(paymentSchema, typed);
    assert.deepEqual([addressPostalCode, addressCity, addressState], ['106-0032', '港区', '東京都']);
  });

  test('R3.3 the terms must be ticked', () => {
    assert.deepEqual(paymentErrors({ termsAgreement: false }), {
      termsAgreement: 'Please read the terms first',
    });
  });

  test('R3.4 a card field that is not complete counts as missing', () => {
    assert.deepEqual(paymentErrors({ cardNumber: '' }), {
      cardNumber: 'Card number is required',
    });
  });
});

test('R3.6 the request to the endpoint drops unknown fields, above all amounts', () => {
  const request = { ...contact, package: 'january_2026_retreat' };
  assert.deepEqual(v.parse(createPaymentRequestSchema, { ...request, amount: 1, isAdmin: true }), {
    ...request,
    timeZone: '',
    website: '',
  });
});

test('R3.6 a time zone is kept if it has the form of a name, because zones change over the years', () => {
  const kept = (timeZone: unknown) =>
    v.parse(createPaymentRequestSchema, { ...contact, package: 'january_2026_retreat', timeZone }).timeZone;
  for (const zone of [
    'UTC',
    '+05:30',
    'Etc/GMT+8',
    'America/Argentina/Buenos_Aires',
    'America/Port-au-Prince',
    'Mars/Tharsis',
  ])
    assert.equal(kept(zone), zone);
  const names = ['', '/', '../etc/localtime', '<b>UTC</b>', 'America/New York', 'A'.repeat(65)];
  for (const none of [...names, 8, null]) assert.equal(kept(none), '');
});

test('R3.6 names lose unpaired surrogates, control characters and direction marks; emoji stay', () => {
  const clean = (firstName: string) => v.parse(contactSchema, { ...contact, firstName }).firstName;
  assert.equal(clean('Wil\u0000ma\n'), 'Wil ma');
  assert.equal(clean('\ud800Wilma\u202e'), 'Wilma');
  assert.equal(clean('👩\u200d🎨'), '👩\u200d🎨');
  assert.equal(clean('نو\u200cر'), 'نو\u200cر');
  assert.deepEqual(contactErrors({ firstName: '\u200b' }), {
    firstName: 'First name is required',
  });
});

test('R3.6 errors are written for people, and do not repeat the input', () => {
  const odd = { ...contact, package: 'january_2026_retreat', website: {}, paymentIntentClientSecret: 'nope' };
  assert.deepEqual(fieldErrors(createPaymentRequestSchema, odd), {
    website: 'Please check your details',
    paymentIntentClientSecret: 'Please check your details',
  });
});
