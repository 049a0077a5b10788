import { after, before, describe } from 'node:test';
import { cpuTimeOfTree } from './cpu-time.ts';
import { writeFileResult } from './report.ts';

/**
 * Makes the tests of a file a suite with its name, and measures what they take.
 * @param load imports the file
 */
export function runFile(file: string, load: () => Promise<unknown>): void {
  let [cpuMs, wallMs] = [0, 0];
  const count = (sign: 1 | -1): void => {
    cpuMs += sign * cpuTimeOfTree();
    wallMs += sign * performance.now();
  };
  const collect = async (): Promise<void> => {
    before(() => count(-1));
    count(-1);
    await load();
    count(1);
    // After the file's own hooks, which end what it started.
    after(() => {
      count(1);
      writeFileResult({ file, passed: 0, failed: 0, wallMs, cpuMs });
    });
  };
  describe(file, () => collect());
}
