import { describe, test } from 'node:test';
import express from 'express';
import request from 'supertest';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import {
  dropNeedlessMarks,
  fullName,
  isolate,
  safeName,
  withProbableNames,
} from '#server/letters/render/names.ts';
import { connectStripe } from '#server/stripe/connect-stripe.ts';
import { takeSigned } from '#server/stripe/stripe-events.ts';
import { assertReadFast, repeated } from '#server/testing/reading-time.ts';
import { testDatabase } from '#server/testing/test-database.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { finishPage, sendPage } from './representation.ts';
import { readForwardedFor, visitorAddress } from './visitor-address.ts';

/** The rest of a head's 16 kB is the request's other lines. */
const MOST_HEADER_BYTES = 15_000;

/** Stripe stores no longer values. */
const MOST_NAME_BYTES = 500;

type Read = (text: string) => unknown;

async function assertAllReadFast(read: Read, units: readonly string[], bytes = MOST_HEADER_BYTES) {
  for (const unit of units) {
    for (const end of ['', '!']) await assertReadFast(read, repeated(unit, { end, bytes }), unit);
  }
}

describe('whatever a header contains, the time to read it depends only on its size', () => {
  for (const [header, units] of [
    ['If-None-Match', [',', ' ', 'W/', '"tag', '"x",', 'W/"x", ', '" ,']],
    ['Accept-Encoding', [...',; ', 'br,', 'gzip;q=1,', ';q=', 'q=0.5;', 'x-gzip ,']],
  ] as const)
    test(header, async () => {
      const page = await finishPage(Buffer.from('page'), {});
      const app = express().get('/', (_req, res) => sendPage(res, page));
      await assertAllReadFast((text) => request(app).get('/').set(header, text), units);
    });

  for (const [what, trusted] of [
    ['of one proxy', 1],
    ['of nine proxies', 9],
    ['of proxies known by their networks', ['loopback', '10.0.0.0/8', 'fd00::/8']],
  ] as const) {
    test(`X-Forwarded-For ${what}`, async () => {
      const app = express().set('trust proxy', trusted);
      app.get(
        '/',
        readForwardedFor(createTestLog().logger),
        (req, res) => void res.send(visitorAddress(req)),
      );
      const read = (header: string) => request(app).get('/').set('X-Forwarded-For', header).expect(200);
      const units = [...', [', '1.', '::1,', '10.0.0.1:1, ', '[fd00::1]:1,', '[::1],', '1:'];
      await assertAllReadFast(read, units);
    });
  }

  test('Stripe-Signature', async (t) => {
    const { database } = await testDatabase(t);
    const payments = connectStripe(SANDBOX_KEYS, database);
    const body = Buffer.alloc(MOST_HEADER_BYTES, '{');
    const now = Math.floor(Date.now() / 1000);
    const signature = `t=${now},v1=${'0'.repeat(64)}`;
    const read = async (header: string): Promise<void> => {
      await payments
        .ask(takeSigned, body, `${signature},${header}`, SANDBOX_KEYS.webhookSecret)
        .catch(() => {});
    };
    const units = [...',=', 't=', 't=1,', 'v1=,', 'v1=0,', 'v1=v1=', `v1=${'0'.repeat(64)},`];
    await assertAllReadFast(read, units);
  });
});

test('whatever a name contains, the time to prepare it for a letter depends only on its size', async () => {
  const read = (name: string): void => {
    const names = { firstName: name, lastName: name };
    withProbableNames({ kind: 'welcome', ...names });
    for (const shown of [safeName(name), fullName(names), isolate(name)]) dropNeedlessMarks(shown);
  };
  const marks = ['\u0345\u0301\u0323', '\ufdfa', '\u00ad', '\u200d ', '\u2068', '\u2069\u2068'];
  const units = [...marks, ' ', 'a.', '://', '@'];
  await assertAllReadFast(read, units, MOST_NAME_BYTES);
});
