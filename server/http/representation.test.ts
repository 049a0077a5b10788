import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import express from 'express';
import { acceptedEncodings, encodings } from './representation.ts';

const ranked = (header: string | undefined): string => acceptedEncodings(header).join(' ');

describe('the encodings that a request accepts', () => {
  test('exclude a refused one; without a preference identity comes last', () => {
    assert.equal(ranked(undefined), 'identity');
    assert.equal(ranked(''), 'identity');
    assert.equal(ranked('gzip, deflate, br, zstd'), 'br gzip identity');
    assert.equal(ranked('gzip'), 'gzip identity');
    assert.equal(ranked('br;q=0, gzip'), 'gzip identity');
    assert.equal(ranked('*'), 'br gzip identity');
    assert.equal(ranked('*;q=0'), '');
    assert.equal(ranked('identity;q=0'), '');
    assert.equal(ranked('identity;q=0, *'), 'br gzip');
    assert.equal(ranked('*;q=0, identity'), 'identity');
    assert.equal(ranked('BR;Q=0.000, gzip ; q=0.5'), 'gzip identity');
    assert.equal(ranked('br;q=often, gzip'), 'gzip identity');
  });

  test('follow the visitor’s preference before ours', () => {
    assert.equal(ranked('br;q=0.5, gzip;q=0.8'), 'gzip br identity');
    assert.equal(ranked('identity, br;q=0.9'), 'identity br');
    assert.equal(ranked('gzip;q=0.2, *;q=0.7'), 'br identity gzip');
  });

  test('are the same that Express accepts', () => {
    for (const header of ['gzip', 'br;q=0', '*', '*;q=0', 'identity;q=0', 'identity;q=0.5, *;q=0', 'a, b']) {
      const request = { headers: { 'accept-encoding': header } };
      for (const encoding of encodings) {
        const accepted = express.request.acceptsEncodings.call(request, encoding) !== false;
        assert.equal(acceptedEncodings(header).includes(encoding), accepted, `${encoding} of "${header}"`);
      }
    }
  });
});
