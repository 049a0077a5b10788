import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { MAIL_EVENTS_PATH } from '#server/letters/mail-events.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { sendRaw, startListener } from '#server/testing/network.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { JOIN_WAITING_PATH, OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';

/** Stands for what a visitor typed. Neither an answer nor the log may repeat it. */
const PERSONAL = 'quillfeather';
const words = (text: string): string[] => text.trim().split(/\s+/);
const one = <Item>(...items: readonly Item[]): Arbitrary<Item> => fc.constantFrom(...items);

const JSON_PATHS = [CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH, JOIN_WAITING_PATH];
const EVENT_PATHS = [WEBHOOK_PATH, MAIL_EVENTS_PATH];
const TERMS_PATH = termsPathOf(edition.facts, edition.terms);
const KNOWN = [...words('/ /favicon.svg /robots.txt /healthz'), ...JSON_PATHS, ...EVENT_PATHS, TERMS_PATH];
const STEPS = words('.. %2e%2e %2E. %252e%252e %c0%ae%c0%ae .... ..;').flatMap((dots) =>
  words('/ %2f %5c \\ // %252f /%00/').map((slash) => `${dots}${slash}`),
);
const FILES = words('package.json manifest.json start-app.js etc/passwd proc/self/environ .env .git/config');
const ODD = words(
  '% %0 %zz %00 %0d%0aX-Injected:%20yes %ff%fe %ed%a0%80 %25%32%65 ;x=1 \\ ?__proto__[x]=1 ?a[]=1',
);
const VERSIONS = words(`.. * -1 1e0 1.yaml 2%00 2/..%2f1 __proto__ constructor ${'a'.repeat(2_000)}`);
const MAC = 'A'.repeat(43);
const TOKENS =
  words(`v1.waiting_${PERSONAL}.0.offer.9999999999.${MAC} v1.reg_${PERSONAL}.0.place.9999999999.${MAC}
  v1.waiting_1.0.__proto__.1.${MAC} v1.waiting_.0.offer.-1.${MAC} v1.${'waiting_1.'.repeat(400)}${MAC} ..%2f..`);
const HEADERS = [
  ...[
    `X-Forwarded-For: ${PERSONAL}`,
    `X-Forwarded-Host: ${PERSONAL}.example`,
    'X-Forwarded-Proto: javascript',
  ],
  ...[
    'Range: bytes=0-0,1-1,2-2',
    'Range: bytes=99999999-',
    `Range: ${PERSONAL}`,
    'If-Modified-Since: yesterday',
  ],
  ...[
    `If-None-Match: ${'"x",'.repeat(1_000)}`,
    `Cookie: ${'a=b; '.repeat(1_000)}`,
    `Accept-Encoding: ${PERSONAL}, ;q=x`,
  ],
];
const HOSTILE = [
  ...[`<script>${PERSONAL}</script>`, `' OR 1=1 -- ${PERSONAL}`, `{{${PERSONAL}}}\${7*7}<%= 7 %>`],
  ...[
    `${PERSONAL}\r\nBcc: all@${PERSONAL}.example`,
    `\u0000${PERSONAL}`,
    `\u202e${PERSONAL}`,
    `\ud800${PERSONAL}`,
  ],
  ...[`../../${PERSONAL}`, `=cmd|'${PERSONAL}'!A1`, PERSONAL.repeat(40), `${PERSONAL}@${PERSONAL}.example`],
];
const FIELDS = words(
  'firstName lastName email phoneNumber package timeZone website paymentIntentClientSecret',
);

const request = (
  method: string,
  path: string,
  headers: readonly string[],
  body: string | Uint8Array = '',
) => {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...headers];
  const content = Buffer.from(body);
  if (content.length > 0) lines.push(`Content-Length: ${content.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
};
const JSON_TYPE = 'Content-Type: application/json';
const post = (path: string, body: string | Uint8Array, headers: readonly string[] = [JSON_TYPE]) =>
  request('POST', path, headers, body);

/** Addresses that consist of a start, some parts and an end. */
const addresses = (starts: readonly string[], parts: readonly string[], most = 1, ends = ['']) =>
  fc
    .tuple(
      one('GET', 'HEAD', 'POST'),
      one(...starts),
      fc.array(one(...parts), { minLength: 1, maxLength: most }),
      one(...ends),
    )
    .map(([method, start, middle, end]) => request(method, `${start}${middle.join('')}${end}`, []));

const anything = fc.oneof(
  one(...HOSTILE),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(one(...HOSTILE), { maxLength: 3 }),
  fc.dictionary(one('$gt', '__proto__', 'constructor', 'toString', 'length'), one(...HOSTILE)),
);
const honest = fc.uuid().map((id) => ({ ...contactStep, email: `${id}@visitors.example` }));
const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));

/** All kinds of hostile requests, and which answers are right; what only Node's own parser of HTTP reads is none of them. */
const KINDS: Readonly<Record<string, readonly [sends: Arbitrary<Uint8Array>, allowed: readonly number[]]>> = {
  'paths above the public folder': [
    addresses(words('/ /static/ /static/js/ /licences/ /terms/ // /favicon.svg/'), STEPS, 8, FILES),
    [400, 404, 405],
  ],
  'tricks and queries': [addresses(KNOWN, ODD, 5), [200, 400, 403, 404, 405, 415]],
  'terms that are none': [addresses(['/terms/', `${TERMS_PATH}/`, '/terms//'], VERSIONS, 3), [400, 404, 405]],
  'forged links': [
    addresses([OFFER_PATH, WAITING_PATH].map((path) => `${path}/`).concat(ownPagePaths.enter), TOKENS),
    [303, 400, 403, 404, 405],
  ],
  'forged cookies': [
    fc
      .tuple(
        one(OFFER_PATH, OWN_PAGE_PATH),
        one(...words('offer __Host-offer place __Host-place')),
        one(...TOKENS),
      )
      .map(([path, name, token]) => request('GET', path, [`Cookie: ${name}=${token}`])),
    [200, 303, 400, 403, 404],
  ],
  'odd headers': [
    fc
      .tuple(
        one('/', '/favicon.svg', '/robots.txt', '/retreat.ics'),
        fc.array(one(...HEADERS), { maxLength: 5 }),
      )
      .map(([path, headers]) => request('GET', path, headers)),
    [200, 206, 304, 400, 404, 412, 416, 431],
  ],
  'malformed JSON': [
    fc
      .tuple(
        one(...JSON_PATHS),
        fc.oneof(
          fc.json(),
          honest.map((body) => JSON.stringify(body)),
        ),
        fc.nat(200),
      )
      .chain(([path, json, at]) =>
        one('', '}', '\u0000', '"', '['.repeat(5_000), '{"a":'.repeat(2_000), PERSONAL).map((junk) =>
          post(path, `${json.slice(0, at)}${junk}${json.slice(at)}`),
        ),
      ),
    [200, 400, 409, 413, 422],
  ],
  'charsets and encodings': [
    fc
      .tuple(
        one(...JSON_PATHS),
        one('utf-8', 'utf-7', 'ebcdic', '"', PERSONAL),
        one('gzip', 'br', PERSONAL, 'gzip, gzip', ''),
      )
      .map(([path, charset, encoding]) =>
        post(path, bomb, [`${JSON_TYPE}; charset=${charset}`, `Content-Encoding: ${encoding}`]),
      ),
    [400, 413, 415],
  ],
  'forged webhooks': [
    fc
      .tuple(
        one(...EVENT_PATHS),
        fc.json(),
        one('', 'NaN', '-1', String(Math.floor(Date.now() / 1000)), '9'.repeat(3_000)),
      )
      .map(([path, body, time]) => {
        const signature = [
          `Stripe-Signature: t=${time},v1=${'0'.repeat(64)}`,
          `webhook-signature: v1,${MAC}=`,
        ];
        return post(path, body, [
          JSON_TYPE,
          ...signature,
          `webhook-id: ${PERSONAL}`,
          `webhook-timestamp: ${time}`,
        ]);
      }),
    [400, 404, 431],
  ],
  'hostile fields': [
    fc
      .tuple(
        one(...JSON_PATHS),
        honest,
        fc.dictionary(one(...FIELDS, 'version', 'digest', '__proto__'), anything),
      )
      .map(([path, body, fields]) => post(path, JSON.stringify({ ...body, ...fields }))),
    [200, 400, 409, 413, 422],
  ],
  'reports of page views': [
    fc
      .array(fc.record({ name: anything, value: anything }), { maxLength: 9 })
      .map((vitals) => post(VITALS_PATH, JSON.stringify({ vitals, [PERSONAL]: PERSONAL }))),
    [204, 400, 413, 429],
  ],
};

/** What no answer may hold. */
const FORBIDDEN = new RegExp(
  `${PERSONAL}|\\bat .{1,200}:\\d+:\\d+|node:internal|node_modules|${process.cwd()}|` +
    '(Syntax|Type|Range|URI|Reference|Stripe\\w*)Error|ECONN|root:.*:0:0|"devDependencies"|^X-Injected:',
  'im',
);

describe('hostile requests', () => {
  const EACH = 40;
  test('get clean refusals, leave nothing personal in the log, and register nobody who paid', async (t) => {
    const roomy = { RATE_LIMIT_PER_ADDRESS: '100000', RATE_LIMIT_OVERALL: '100000', TRUST_PROXY: '1' };
    const { app, log, stripe } = await startTestSite(t, { env: roomy });
    const { url } = await startListener(t, {}, app);
    for (const [kind, [sends, allowed]] of Object.entries(KINDS))
      await Readable.from(fc.sample(sends, EACH)).forEach(
        async (bytes) => {
          const { status = 0, text } = await sendRaw(url, bytes);
          const asked = `${kind}: ${status} for ${JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 300))}`;
          assert.ok(allowed.includes(status), asked);
          assert.doesNotMatch(text, FORBIDDEN, asked);
        },
        { concurrency: 8 },
      );
    assert.doesNotMatch(log.text(), new RegExp(`${PERSONAL}|"level":"fatal"`));
    for await (const { status } of stripe.paymentIntents.list({ limit: 100 }))
      assert.notEqual(status, 'succeeded');
  });
});
