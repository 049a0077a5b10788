import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { formatCents } from '#shared/money.ts';
import { dollars, planParts } from './inputs.ts';
import { withSubjects } from './subjects.ts';

const WANTED = 'an amount such as 200, 187.50 or 1,395';

describe('an amount', () => {
  const amounts = withSubjects(({ commands }) =>
    commands.flatMap(({ fields }) =>
      Object.values(fields).flatMap(({ input, takes }) => (input === 'amount' ? [takes] : [])),
    ),
  ).flat();

  test('is taken as the product prints it, in every form that takes one', () => {
    assert.ok(amounts.length >= 5);
    for (const [typed, cents] of [
      ['1,395', 139_500],
      ['$1,395', 139_500],
      ['1,395.00', 139_500],
      ['$ 726.25', 72_625],
      ['726.5', 72_650],
      ['$\u00a0726', 72_600],
      ['\u200b２００', 20_000],
      ['0', 0],
      ...[72_100, 72_625, 139_500, 99_999_999].map((sum) => [formatCents(sum), sum] as const),
    ] as const)
      for (const takes of amounts) assert.equal(v.parse(takes, typed), cents, typed);
  });

  test('is refused in words where it could be another one', () => {
    for (const typed of [
      '726,25',
      '1,39',
      '1,3950',
      '1.395,00',
      '1 395',
      '13,95.00',
      '-5',
      '1e3',
      '1000000',
      '5.',
      '$',
      '€5',
      '1,,395',
      'two',
    ])
      assert.deepEqual(
        v.safeParse(dollars, typed).issues?.map(({ message }) => message),
        [`Please give ${WANTED}`],
        typed,
      );
  });

  test('stands after the day of each part of a payment plan, with a comma for its thousands or between two parts', () => {
    for (const typed of [
      '2027-03-08 1,395, 2027-04-08 $ 1,395.50,2027-05-08',
      '2027-03-08 $1,395\r\n2027-04-08 1395.5,\n\n2027-05-08\n',
    ])
      assert.deepEqual(v.parse(planParts, typed), [
        { day: '2027-03-08', cents: 139_500 },
        { day: '2027-04-08', cents: 139_550 },
        { day: '2027-05-08' },
      ]);
    assert.throws(() => v.parse(planParts, '2027-03-08 726,25, 2027-04-08'), new RegExp(WANTED));
  });
});
