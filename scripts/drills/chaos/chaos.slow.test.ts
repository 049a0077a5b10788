import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cleanUpOnSignal } from '#scripts/drills/drill.ts';
import { formatAgreement } from '#server/payments/terms-mark.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { checkConsents } from './judge-consents.ts';
import { checkMails, lostLocksIn } from './judge-mails.ts';
import { createRandom, planFaults } from './plan-faults.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { drawVisitors } from './visitors.ts';

const KINDS = [
  'app-killed',
  'app-killed-at-consent',
  'redis-forgets',
  'redis-frozen',
  'redis-killed',
  'smtp-4xx',
  'smtp-5xx',
  'smtp-cuts',
  'smtp-drops',
  'smtp-hangs',
  'smtp-refused',
  'worker-killed',
];

describe('chaos', () => {
  test('R5.1 R4.5 whatever dies or hangs, every registration has each of its mails, one payment and one charge', async (t) => {
    await mkdir('.data', { recursive: true });
    const folder = join(process.cwd(), await mkdtemp(join('.data', 'chaos-test-')));
    cleanUpOnSignal(folder);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const result = await runChaos({
      registrations: 15,
      seed: 5,
      folder,
      say: (words) => t.diagnostic(words),
    });
    assert.deepEqual(result.problems, [], reportOf(result));
    assert.equal(result.calm.length + result.stormy.length, 15);
    assert.deepEqual(result.faults.map(({ kind }) => kind).sort(), KINDS);
    assert.equal(result.mails.received, result.mails.expected);
    const { expected, recorded, doubled } = result.consents;
    assert.ok(expected > 0);
    assert.deepEqual([recorded, doubled], [expected, 0]);
  });

  test('the same seed gives the same schedule, another seed another one', () => {
    const plan = (seed: number) => planFaults(createRandom(seed), { rounds: 2, spanMs: 60_000 });
    assert.deepEqual(plan(1), plan(1));
    assert.notDeepEqual(plan(1), plan(2));
  });

  test('faults of one lane never overlap, those of two lanes sometimes do', () => {
    const lanes = planFaults(createRandom(1), { rounds: 3, spanMs: 120_000 });
    for (const lane of lanes) {
      for (const [place, { startMs }] of lane.entries()) {
        const before = lane[place - 1];
        if (before) assert.ok(before.startMs + before.lastsMs <= startMs);
      }
    }
    const [redis = [], , , smtp = []] = lanes;
    const overlaps = redis.some((one) =>
      smtp.some(
        (other) => one.startMs < other.startMs + other.lastsMs && other.startMs < one.startMs + one.lastsMs,
      ),
    );
    assert.ok(overlaps);
  });
});

describe('the verdict on the consents', () => {
  const [visitor] = drawVisitors(createRandom(1), 1);
  assert.ok(visitor);
  const begun = { visitor, paymentIntentId: 'pi_1', latencyMs: 1, tries: 1 };
  const paid = { ...begun, paid: true, consent: { terms, fromMs: 1_000, untilMs: 2_000, tries: 1 } };
  const holding = (changes: Partial<Parameters<typeof formatAgreement>[0]> = {}) => {
    const agreement = { ...terms, agreedAt: new Date(1_500), ...changes };
    return [{ id: 'pi_1', metadata: { terms: formatAgreement(agreement) } }];
  };
  const without = [{ id: 'pi_1', metadata: {} }];

  test('the registrant’s own consent, recorded once, is fine', () => {
    const count = checkConsents([paid], holding(), ['pi_1']);
    assert.deepEqual(count, { expected: 1, recorded: 1, lost: 0, doubled: 0, problems: [] });
    assert.deepEqual(checkConsents([{ ...begun, paid: false }], without, []).problems, []);
  });

  test('a consent that is lost, recorded twice, to other terms, of another time, or given by nobody is a problem', () => {
    const wrong = [
      [checkConsents([paid], without, []), 'the consent of pi_1 is lost'],
      [checkConsents([paid], holding(), ['pi_1', 'pi_1']), 'the consent of pi_1 was written again'],
      [checkConsents([paid], holding({ version: '0' }), []), 'pi_1 holds a consent to other terms: 0'],
      [
        checkConsents([paid], holding({ agreedAt: new Date(2_001) }), []),
        'pi_1 holds a consent of another time: 1970-01-01T00:00:02.001Z',
      ],
      [checkConsents([{ ...begun, paid: false }], holding(), []), 'pi_1 holds a consent that nobody gave'],
    ] as const;
    for (const [{ problems }, problem] of wrong) assert.deepEqual(problems, [problem]);
  });
});

describe('the verdict on the mails', () => {
  const CALM = { faults: [], lostLocks: new Set<string>() };
  const owed = [{ kind: 'welcome', paymentIntentId: 'pi_1', recipient: 'a@visitors.example' }] as const;
  const copy = (atMs: number, { name = 'welcome-pi_1-0a1b2c3d', cut = false } = {}) => ({
    messageId: `<${name}@retreat.example>`,
    recipients: ['a@visitors.example'],
    atMs,
    cut,
  });
  const problemsOf = (...mails: ReturnType<typeof copy>[]) => checkMails(owed, mails, CALM).problems;

  test('one copy is fine, none is a loss', () => {
    assert.deepEqual(problemsOf(copy(0)), []);
    assert.deepEqual(problemsOf(), ['welcome of pi_1 is lost']);
  });

  test('a mail may be repeated only after a crash or a cut connection, under the same Message-ID', () => {
    assert.deepEqual(problemsOf(copy(0), copy(9_000)), [
      'welcome of pi_1 was repeated without a crash or a cut',
    ]);
    assert.deepEqual(problemsOf(copy(0, { cut: true }), copy(9_000)), []);
    const crash = { ...CALM, faults: [{ kind: 'worker-killed', fromMs: 100, untilMs: 200 }] as const };
    assert.deepEqual(checkMails(owed, [copy(0), copy(9_000)], crash).problems, []);
    assert.deepEqual(problemsOf(copy(0, { cut: true }), copy(1, { name: 'welcome-pi_1-ffffffff' })), [
      'welcome of pi_1 came under 2 Message-IDs',
    ]);
  });

  test('a mail that was in flight when Redis lost its lock may be repeated, and no other', () => {
    const faults = [{ kind: 'redis-forgets', fromMs: 0, untilMs: 1_000 }] as const;
    const lostLocks = lostLocksIn(['… Missing lock for job welcome-pi_1-0a1b2c3d. moveToFinished …']);
    const copies = [copy(15_000), copy(25_000)];
    assert.deepEqual(checkMails(owed, copies, { faults, lostLocks }).problems, []);
    assert.equal(checkMails(owed, copies, { ...CALM, faults }).problems.length, 1);
    assert.equal(checkMails(owed, copies, { ...CALM, lostLocks }).problems.length, 1);
  });

  test('a mail that was not expected, or goes to somebody else, is a problem', () => {
    assert.deepEqual(problemsOf(copy(0), copy(1, { name: 'welcome-pi_2-0a1b2c3d' })), [
      '1 × welcome of pi_2 was not expected',
    ]);
    assert.deepEqual(problemsOf({ ...copy(0), recipients: ['b@visitors.example'] }), [
      'welcome of pi_1 went to somebody else',
    ]);
  });
});
