import assert from 'node:assert/strict';
import { test } from 'node:test';
import express from 'express';
import request from 'supertest';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import { createTaking } from './taking.ts';

const now = () => new Date('2025-12-05T12:00:00Z');
const until = new Date('2025-12-07T12:00:00Z');

test('the cookie of an offer is bound to its host under https, expires with the offer, and is not usable as a link', async () => {
  const site = 'https://retreat.example';
  const links = createWaitingLinks(['a-secret-of-a-test'], site);
  const taking = createTaking(links, site, now);
  const app = express();
  app.get('/open', (_req, res) => {
    taking.open(res, { waitingId: 'waiting_1', until });
    res.end();
  });
  app.get('/read', (req, res) => void res.json(taking.read(req) ?? null));
  const [cookie = ''] = (await request(app).get('/open')).get('set-cookie') ?? [];
  assert.match(
    cookie,
    /^__Host-offer=w1\.waiting_1\.taking\.\S+; Max-Age=172800; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
  );
  const read = async (text: string) => (await request(app).get('/read').set('Cookie', text)).body;
  assert.deepEqual(await read(cookie), { waitingId: 'waiting_1', until: until.toISOString() });
  const link = links.format({ waitingId: 'waiting_1', scope: 'offer', expiresAt: until });
  assert.equal(await read(`__Host-offer=${link}`), null);
  assert.equal(await read(cookie.replace('__Host-', '')), null);
});
