import { isBrowserTest, SLOW_TEST, TEST_FILE } from './choose-tests.ts';
import { cpuTimeOfTree } from './cpu-time.ts';
import { addResults, type FileResult } from './file-result.ts';

const DEAREST = 10;
const SLOW_MS = 10_000;

interface RunEnd {
  passed: boolean;
  /** How much processor time the run may take; a run of named files has no budget. */
  budgetMs: number | undefined;
}

/** Prints what a run came to: by folder, the dearest files, what failed and how to run only that, and the sums. */
export function report(results: readonly FileResult[], { passed, budgetMs }: RunEnd): void {
  const folders = new Map<string, FileResult & { files: number }>();
  for (const result of results) {
    const folder = folderOf(result.file);
    const sum = folders.get(folder);
    folders.set(folder, {
      ...(sum ? addResults(sum, result) : { ...result, file: folder }),
      files: (sum?.files ?? 0) + 1,
    });
  }
  const sorted = [...folders.values()].sort((one, other) => other.cpuMs - one.cpuMs);
  console.log(`\n${row('', 'files', 'passed', 'failed', 'wall s', 'CPU s')}`);
  for (const { file, files, ...sum } of sorted)
    console.log(row(file, files, sum.passed, sum.failed, seconds(sum.wallMs), seconds(sum.cpuMs)));
  const dearest = results.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, DEAREST);
  console.log(`\nThe dearest: ${dearest.map(({ file, cpuMs }) => `${file} ${seconds(cpuMs)} s`).join(', ')}`);
  for (const { file, cpuMs } of results.filter(({ file, cpuMs }) => isTooSlow(file, cpuMs)))
    console.log(`\n${file} took ${seconds(cpuMs)} s of CPU time: call it *.slow.test.ts if it often does.`);
  for (const { file, failed } of results)
    if (failed > 0) console.log(`\n${failed} failed in ${file}; to run only this: ${commandFor(file)}`);
  const sum = results.reduce(addResults, { file: '', passed: 0, failed: 0, wallMs: 0, cpuMs: 0 });
  const budget = budgetMs === undefined ? '' : ` of ${seconds(budgetMs)} s`;
  console.log(`\n${seconds(performance.now())} s, CPU time ${seconds(cpuTimeOfTree())} s${budget}`);
  console.log(`${sum.passed} passed, ${Math.max(sum.failed, passed ? 0 : 1)} failed`);
}

/** A check is named by its command. */
function commandFor(file: string): string {
  return TEST_FILE.test(file) ? `npm test -- ${file}` : file;
}

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

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
