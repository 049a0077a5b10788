import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { parse } from 'yaml';
import { opsCredentials } from '#scripts/product/environment.ts';
import type { Server } from '#scripts/product/product.ts';
import { ensureProgram, programs } from '#scripts/product/system-package.ts';
import { openDatabase } from '#server/database/database.ts';
import { MAIL_EVENTS_PATH } from '#server/letters/mail-events.ts';
import { chargeObstacles } from '#server/registration/registration.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { buildWithPlaces, prepareAppProcesses } from '#server/testing/processes.ts';
import { insertFound } from '#server/testing/test-database.ts';
import { register } from '#server/testing/test-site.ts';
import { METRICS_PATH } from '#server/web/create-ops-app.ts';

/** What may prevent the charge of a balance that is overdue; `waiting` for the worker is the rest. */
const OVERDUE_REASONS = [...chargeObstacles, 'paying', 'declined', 'waiting'];

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
const RUN_BOOK = 'server/ops/run-book.md';
const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

const ruleSchema = v.object({
  alert: v.string(),
  expr: v.string(),
  labels: v.strictObject({ severity: v.picklist(['page', 'ticket']) }),
  annotations: v.strictObject({ summary: v.string(), description: v.string(), runbook: v.string() }),
});
const rulesSchema = v.object({ groups: v.array(v.object({ rules: v.array(ruleSchema) })) });
const { groups } = v.parse(rulesSchema, parse(await read('server/ops/alerts.yml')));
const rules = groups.flatMap((group) => group.rules);
const names = rules.map(({ alert }) => alert).toSorted();

/** The cases of promtool: samples of `ALERTS` where one fires, no alerts where one is quiet. */
const casesSchema = v.object({
  tests: v.array(
    v.object({
      name: v.string(),
      promql_expr_test: v.optional(
        v.array(v.object({ expr: v.string(), exp_samples: v.array(v.unknown()) })),
        [],
      ),
      alert_rule_test: v.optional(v.array(v.object({ alertname: v.string(), exp_alerts: v.tuple([]) })), []),
    }),
  ),
});

/** Runs promtool; fails with what it says. */
async function promtool(...args: string[]): Promise<void> {
  await promisify(execFile)(ensureProgram(programs.promtool), args, { cwd: FOLDER });
}

describe('the alert rules', () => {
  test('promtool finds no mistake, and each alert fires when it should', async () => {
    await promtool('check', 'rules', 'alerts.yml');
    await promtool('test', 'rules', 'alerts.tests.yml');
  });

  test('each alert fires in one case, and is quiet in one in which it never fires', async () => {
    const { tests: cases } = v.parse(casesSchema, parse(await read('server/ops/alerts.tests.yml')));
    const sides = cases.map(({ name, promql_expr_test, alert_rule_test }) => {
      const fires = promql_expr_test
        .filter(({ exp_samples }) => exp_samples.length > 0)
        .map(({ expr }) => FIRING.exec(expr)?.[1] ?? assert.fail(`${name}: ${expr} asks for no alert`));
      const quiet = alert_rule_test.map(({ alertname }) => alertname);
      return { fires, quiet: quiet.filter((alert) => !fires.includes(alert)) };
    });
    for (const side of ['fires', 'quiet'] as const) {
      const proven = new Set(sides.flatMap((one) => one[side]));
      assert.deepEqual([...proven].toSorted(), names, side);
    }
  });

  test('app and worker serve the metrics and labels that the rules query', async (t) => {
    const served = await scrapeBoth(t);
    for (const { alert, expr } of rules) {
      for (const [selector, metric = '', matchers = ''] of expr.matchAll(SELECTOR)) {
        const series = served.filter(({ name }) => name === metric);
        assert.ok(series.length > 0, `${alert}: nobody serves ${selector}`);
        for (const [matcher, label = '', operator, value = ''] of matchers.matchAll(MATCHER)) {
          const values = series.flatMap(({ labels }) => labels.get(label) ?? []);
          assert.ok(values.length > 0, `${alert}: ${metric} has no ${label}`);
          if (operator === '!=' || ANY_VALUE.has(label)) continue;
          for (const one of value.split('|'))
            assert.ok(values.includes(one), `${alert}: ${metric} never has ${matcher}`);
        }
      }
    }
  });

  test('each reason for an overdue balance has an alert, or ends by itself, and stands in the run-book', async () => {
    const runBook = await read(RUN_BOOK);
    const asked = rules.map(({ expr }) => expr).join('\n');
    // Disputes have an alert of their own.
    const others = ['processing', 'paying', 'disputed'];
    for (const reason of OVERDUE_REASONS) {
      assert.equal(new RegExp(`["|]${reason}["|]`).test(asked), !others.includes(reason), reason);
      assert.ok(runBook.includes(`\`${reason}\``), `${reason} is missing`);
    }
  });

  test('they use the memory limits of the container and of Node’s heap', async () => {
    const [, container] = /mem_limit: (\d+)m/.exec(await read('docker-compose.yml')) ?? [];
    const [, heap] = /--max-old-space-size=(\d+)/.exec(await read('Dockerfile')) ?? [];
    const { expr } = rules.find(({ alert }) => alert === 'MemoryNearLimit') ?? { expr: '' };
    const limits = [...expr.matchAll(/(\d+) \* 1024 \* 1024/g)].map(([, limit]) => limit);
    assert.deepEqual(limits, [container, heap]);
  });
});

describe('what operators are shown', () => {
  test('each alert leads to a section of the run-book, which names it with its severity', async () => {
    const sections = `\n${await read(RUN_BOOK)}`.split('\n## ');
    for (const { alert, labels, annotations } of rules) {
      const [page, anchor] = annotations.runbook.split('#');
      assert.equal(page, RUN_BOOK, alert);
      const section = sections.find((text) => anchorOf(text.split('\n', 1)[0] ?? '') === anchor);
      assert.ok(section, `${alert}: ${anchor} is no heading of ${page}`);
      assert.ok(
        section.includes(`\`${alert}\` (${labels.severity})`),
        `${alert}: ${anchor} does not name it`,
      );
    }
  });

  test('prometheus.yml is valid, and asks every port of docker-compose.yml', async (t) => {
    await promtool('check', 'config', '--syntax-only', 'prometheus.yml');
    const file = join(await testFolder(t, 'prometheus'), 'prometheus.yml');
    const onKubernetes = await read('server/ops/kubernetes/prometheus.yml');
    // Debian's Prometheus is built without the service discovery of Kubernetes.
    await writeFile(file, onKubernetes.replace(/^ *kubernetes_sd_configs:\n.*?^(?= *relabel)/ms, ''));
    await promtool('check', 'config', '--syntax-only', file);
    const config = v.parse(scrapeSchema, parse(await read('server/ops/prometheus.yml')));
    const ports = config.scrape_configs.flatMap(({ static_configs }) =>
      static_configs.flatMap(({ targets }) => targets.map((target) => Number(target.split(':')[1]))),
    );
    const compose = await read('docker-compose.yml');
    const published = [...compose.matchAll(/OPS_PORT:-(\d+)-(\d+)\}/g)].flatMap(([, first, last]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, place) => Number(first) + place),
    );
    assert.deepEqual(ports, published);
  });
});

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

const scrapeSchema = v.object({
  scrape_configs: v.array(v.object({ static_configs: v.array(v.object({ targets: v.array(v.string()) })) })),
});

/** A metric in an expression, with its label matchers; a name before a parenthesis is a function instead. */
const SELECTOR = /\b([a-z]+(?:_[a-z\d]+)+)\b(?!\s*\()(?:\{([^}]*)\})?/g;
const MATCHER = /(\w+)(!?=~?)"([^"]*)"/g;

const FIRING = /\bALERTS\{alertname="(\w+)",alertstate="firing"\}/;

/** Labels with more values than a test can produce. */
const ANY_VALUE = new Set(['status']);

/** What app and worker serve to Prometheus, once each has done something and balances are overdue for every reason. */
async function scrapeBoth(t: TestContext) {
  const { databaseUrl, start } = await prepareAppProcesses(t, {}, await buildWithPlaces(t, 2));
  const BACKUP_DIR = await testFolder(t, 'copies');
  const OFFICE_POSTAL_ADDRESS = '12 Orchard Lane, Santa Cruz';
  const [app, worker] = await Promise.all([
    start({ env: { OFFICE_POSTAL_ADDRESS } }),
    start({ name: 'worker', env: { BACKUP_DIR, OFFICE_POSTAL_ADDRESS } }),
  ]);
  const { siteUrl } = app;
  await fetch(siteUrl);
  await register(siteUrl);
  for (const path of [WEBHOOK_PATH, MAIL_EVENTS_PATH])
    await fetch(`${siteUrl}${path}`, { method: 'POST', body: '{}' });
  const isDone = ({ name, value }: Series) => name === 'due_work_last_success_timestamp_seconds' && value > 0;
  while (!(await scrape(worker)).some(isDone)) await delay(20);
  const database = openDatabase(databaseUrl);
  cleanUp(t, database.close);
  await insertFound(
    database,
    ...OVERDUE_REASONS.map((overdue) => ({ overdue })),
    ...Array.from({ length: 3 }, () => ({ standing: 'taken' }) as const),
  );
  return [...(await scrape(app)), ...(await scrape(worker))];
}

interface Series {
  name: string;
  labels: ReadonlyMap<string, string>;
  value: number;
}

async function scrape({ opsUrl }: Server): Promise<Series[]> {
  const { user, password } = opsCredentials;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const answer = await fetch(`${opsUrl}${METRICS_PATH}`, { headers: { authorization } });
  assert.equal(answer.status, 200);
  const lines = (await answer.text()).matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm);
  return Array.from(lines, ([, name = '', labels = '', value]) => ({
    name,
    labels: new Map([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', is = '']) => [label, is])),
    value: Number(value),
  }));
}
