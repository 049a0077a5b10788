// Runs in a process of its own, which its entry imports with the files that are to be tested in it.
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { register } from 'tsx/esm/api';
import './guard.mjs';

register();

/**
 * Declares the tests of files, each as a suite, one after the other.
 * @param {string[]} files
 */
export function declare(...files) {
  /** @type {Promise<unknown>[]} */
  const loading = [];
  for (const file of files)
    describe(file, async () => {
      const loaded = import(pathToFileURL(file).href);
      loading.push(loaded);
      await loaded;
      // To load the others takes seconds in which no test is answered. One that cannot be loaded fails its own suite.
      await Promise.allSettled(loading);
    });
}
