import { spawn } from 'node:child_process';
import { cpuTimeOfTree } from './cpu-time.ts';
import { writeFileResult } from './file-result.ts';

/** What a whole run checks before it runs the tests: a title, a command and its arguments. */
const CHECKS = [
  ['types', 'node_modules/.bin/tsc', ['-b', 'scripts']],
  ['lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings']],
  ['import rules', process.execPath, ['scripts/bootstrap.mjs', 'imports']],
  ['build', process.execPath, ['scripts/bootstrap.mjs', 'build']],
] as const;

/** Runs all checks, and shows what each has to say. Says whether all have passed. */
export async function passChecks(): Promise<boolean> {
  let passed = true;
  for (const [title, command, args] of CHECKS) {
    const cpuBefore = cpuTimeOfTree();
    const startedAt = performance.now();
    console.log(`\n${title}`);
    const isPassed = (await runProgram(command, args)) === 0;
    writeFileResult({
      file: title,
      passed: 0,
      failed: Number(!isPassed),
      wallMs: performance.now() - startedAt,
      cpuMs: cpuTimeOfTree() - cpuBefore,
    });
    passed &&= isPassed;
  }
  return passed;
}

/** Runs a program that prints where this one prints. Resolves with its exit code. */
export function runProgram(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
    // What is told to end ends first; then this process reports.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => child.kill(signal));
  });
}
