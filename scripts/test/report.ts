import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { isBrowserTest, SLOW_TEST, TEST_FILE } from './choose-tests.ts';
import { cpuTimeOfTree } from './cpu-time.ts';

const DEAREST = 10;
const SLOW_MS = 10_000;

const fileResultSchema = v.object({
  file: v.string(),
  passed: v.number(),
  failed: v.number(),
  wallMs: v.number(),
  cpuMs: v.number(),
});

/** What the tests of one file came to, or a part of it. */
export type FileResult = v.InferOutput<typeof fileResultSchema>;

/** The variable that names the file in which the processes of a run write their results, a line each. */
const RESULTS = 'TEST_RESULTS';

/** Names the file for this process and those that it starts. */
export function collectFileResults(path: string): void {
  process.env[RESULTS] = path;
}

/** Writes a result, or a part of one, for the run that this process belongs to, if it does. */
export function writeFileResult(result: FileResult): void {
  const path = process.env[RESULTS];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(result)}\n`);
}

interface RunEnd {
  passed: boolean;
  /** How much processor time the run may take; a run of named files has no budget. */
  budgetMs: number | undefined;
}

/** Prints what a run came to: by folder, the dearest files, what failed and how to run only that, and the sums. */
export function report({ passed, budgetMs }: RunEnd): void {
  const path = process.env[RESULTS] ?? '';
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  const parts = lines.map((line) => v.parse(v.pipe(v.string(), v.parseJson(), fileResultSchema), line));
  const results = sumBy(parts, (file) => file).sort((one, other) => one.file.localeCompare(other.file));
  console.log(`\n${row('', 'files', 'passed', 'failed', 'wall s', 'CPU s')}`);
  for (const { file, count, ...sum } of dearestFirst(sumBy(results, folderOf)))
    console.log(row(file, count, sum.passed, sum.failed, seconds(sum.wallMs), seconds(sum.cpuMs)));
  const dearest = dearestFirst(results).slice(0, DEAREST);
  console.log(`\nThe dearest: ${dearest.map(({ file, cpuMs }) => `${file} ${seconds(cpuMs)} s`).join(', ')}`);
  for (const { file, cpuMs } of results)
    if (isTooSlow(file, cpuMs))
      console.log(`\n${file} took ${seconds(cpuMs)} s of CPU time: call it *.slow.test.ts if it often does.`);
  for (const { file, failed } of results) {
    // A check is named by its command.
    const command = TEST_FILE.test(file) ? `npm test -- ${file}` : file;
    if (failed > 0) console.log(`\n${failed} failed in ${file}; to run only this: ${command}`);
  }
  const budget = budgetMs === undefined ? '' : ` of ${seconds(budgetMs)} s`;
  console.log(`\n${seconds(performance.now())} s, CPU time ${seconds(cpuTimeOfTree())} s${budget}`);
  const [sum = { passed: 0, failed: 0 }] = sumBy(results, () => '');
  console.log(`${sum.passed} passed, ${Math.max(sum.failed, passed ? 0 : 1)} failed`);
}

type Sum = FileResult & { count: number };

/** Adds up all figures of the results under the same name, and counts them. */
function sumBy(results: readonly FileResult[], nameOf: (file: string) => string): Sum[] {
  const sums = new Map<string, Sum>();
  for (const result of results) {
    const file = nameOf(result.file);
    const sum = sums.get(file) ?? { file, count: 0, passed: 0, failed: 0, wallMs: 0, cpuMs: 0 };
    sums.set(file, sum);
    sum.count += 1;
    for (const figure of ['passed', 'failed', 'wallMs', 'cpuMs'] as const) sum[figure] += result[figure];
  }
  return [...sums.values()];
}

const dearestFirst = (sums: readonly Sum[]): Sum[] => sums.toSorted((one, other) => other.cpuMs - one.cpuMs);

/** Whether a file of Node's tests costs too much for each `npm test`. */
function isTooSlow(file: string, cpuMs: number): boolean {
  return cpuMs > SLOW_MS && TEST_FILE.test(file) && !isBrowserTest(file) && !SLOW_TEST.test(file);
}

/** The folder of the first two levels; a check is its own. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/') || file;
}

function row(...[file = '', ...figures]: (string | number)[]): string {
  return `${String(file).padEnd(26)}${figures.map((figure) => String(figure).padStart(9)).join('')}`;
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
