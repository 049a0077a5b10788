// Loaded into every process under test: nothing leaves this machine, and no console.error goes unnoticed.
import { Socket } from 'node:net';
import { format } from 'node:util';

/**
 * What happened in this process that fails a test. Node's runner sees it by the exit code; Playwright's tests look here.
 * @type {string[]}
 */
export const findings = [];

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);
const connect = Socket.prototype.connect;

/** @param {unknown[]} args */
Socket.prototype.connect = function guardedConnect(...args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const host = typeof first === 'object' && first !== null && 'host' in first ? first.host : undefined;
  if (typeof host === 'string' && !LOOPBACK.has(host)) {
    failLater(`Unknown outgoing connection to ${host}`);
    throw new Error(`Unknown outgoing connection to ${host}`);
  }
  return Reflect.apply(connect, this, args);
};

if (process.env.NODE_TEST_CONTEXT || process.env.TEST_WORKER_INDEX) {
  console.error = (...args) => failLater(`Unexpected console.error: ${format(...args)}`);
}

/**
 * The test file fails when it ends, even if the code under test swallows what is thrown at it.
 * @param {string} finding
 */
function failLater(finding) {
  const { stack = finding } = new Error(finding);
  process.stderr.write(`${stack}\n`);
  findings.push(stack);
  process.on('exit', () => {
    process.exitCode = 1;
  });
}
