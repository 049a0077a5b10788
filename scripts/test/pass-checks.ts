import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpuTimeOfTree } from './cpu-time.ts';
import { writeFileResult } from './file-result.ts';

/** What a whole run checks before it runs the tests: the command for this check alone, a program and its arguments. */
const CHECKS = [
  ['npm run types', 'node_modules/.bin/tsc', ['-b', 'scripts']],
  ['npm run lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings']],
  ['npm run imports', process.execPath, ['scripts/bootstrap.mjs', 'imports']],
  ['npm run browsers', process.execPath, ['scripts/bootstrap.mjs', 'browsers']],
  ['npm run build', process.execPath, ['scripts/bootstrap.mjs', 'build']],
] as const;

/** Runs all checks, and shows what each has to say. Says whether all have passed. */
export async function passChecks(): Promise<boolean> {
  let passed = true;
  for (const [check, command, args] of CHECKS) {
    const cpuBefore = cpuTimeOfTree();
    const startedAt = performance.now();
    console.log(`\n${check}`);
    const isPassed = (await runProgram(command, args)) === 0;
    writeFileResult({
      file: check,
      passed: 0,
      failed: Number(!isPassed),
      wallMs: performance.now() - startedAt,
      cpuMs: cpuTimeOfTree() - cpuBefore,
    });
    passed &&= isPassed;
  }
  return passed;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a program that prints where this one prints. Resolves with its exit code. */
export async function runProgram(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit' });
  return await untilTold(
    (signal) => child.kill(signal),
    once(child, 'close').then(([code]) => code ?? 1),
  );
}

/** Hands the signals that tell this process to end to what it waits for, which ends first; then this process reports. */
export async function untilTold<Result>(
  tell: (signal: NodeJS.Signals) => void,
  work: Promise<Result>,
): Promise<Result> {
  for (const signal of SIGNALS) process.on(signal, tell);
  try {
    return await work;
  } finally {
    for (const signal of SIGNALS) process.off(signal, tell);
  }
}
