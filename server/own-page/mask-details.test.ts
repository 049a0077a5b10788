import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskPhone } from './mask-details.ts';

test('a masked number shows no digit of its last seven, nor of its extension', () => {
  assert.equal(maskPhone('+1 (555) 555-0142'), '+1 (555) •••-••••');
  assert.equal(maskPhone('+971 4 555 0142 ext. 77'), '+971 4 ••• •••• ext. ••');
  assert.equal(maskPhone('555 0142 x1234'), '••• •••• x••••');
});
