// Runs in a process of its own, which its entry imports with the files that are to be tested in it.
import { createHook } from 'node:async_hooks';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { register } from 'tsx/esm/api';
import './guard.mjs';

register();

/**
 * Declares the tests of files, each as a suite, one after the other.
 * @param {string[]} files
 */
export async function declare(...files) {
  /** @type {Promise<void>[]} */
  const loaded = [];
  let begin = () => {};
  /** @type {Promise<void>} */
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  /** @type {(file: string) => Promise<void>} */
  const load = (file) =>
    new Promise((resolve) => {
      describe(file, async () => {
        await import(pathToFileURL(file).href).finally(resolve);
        // To load the others takes seconds in which nothing is answered.
        await begun;
      });
    });
  const hook = hookEnabledBy(() => {
    for (const file of files) loaded.push(load(file));
  });
  await Promise.all(loaded);
  // Node's runner follows every promise, to know in which suite a test is declared. All are now, and to follow on takes a
  // tenth of the CPU time. Without it nobody knows which test an error belongs to that no test awaits.
  hook?.disable();
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, endWith);
  begin();
}

/**
 * The hook for all asynchronous work that a function enables.
 * @param {() => void} work
 */
function hookEnabledBy(work) {
  /** @type {import('node:async_hooks').AsyncHook} */
  const hooks = Object.getPrototypeOf(createHook({}));
  const { enable } = hooks;
  /** @type {import('node:async_hooks').AsyncHook | undefined} */
  let enabled;
  hooks.enable = function () {
    enabled = this;
    return enable.call(this);
  };
  work();
  hooks.enable = enable;
  return enabled;
}

/** @param {unknown} error */
function endWith(error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}
