// Loaded into every process under test: nothing leaves this machine, and no console.error goes unnoticed.
import { Socket } from 'node:net';
import { format } from 'node:util';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);
const connect = Socket.prototype.connect;

/** @param {unknown[]} args */
Socket.prototype.connect = function guardedConnect(...args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const host = typeof first === 'object' && first !== null && 'host' in first ? first.host : undefined;
  if (typeof host === 'string' && !LOOPBACK.has(host)) {
    report(`Unknown outgoing connection to ${host}`);
    throw new Error(`Unknown outgoing connection to ${host}`);
  }
  return Reflect.apply(connect, this, args);
};

// The runners' marks of their processes: Node's, and Playwright's.
if (process.env.NODE_TEST_CONTEXT || process.env.TEST_WORKER_INDEX) {
  console.error = (...args) => report(`Unexpected console.error: ${format(...args)}`);
}

/**
 * The test file fails when it ends, even if the code under test swallows what is thrown at it.
 * @param {Error} _finding
 */
let fail = (_finding) => {
  process.on('exit', () => {
    process.exitCode = 1;
  });
};

/**
 * Replaces what fails a test, for a runner that does not look at the exit code.
 * @param {(finding: Error) => void} failTest
 */
export function failTestsBy(failTest) {
  fail = failTest;
}

/** @param {string} message */
function report(message) {
  const finding = new Error(message);
  process.stderr.write(`${finding.stack}\n`);
  fail(finding);
}
