import { watch } from 'node:fs';
import { runEverything } from './run-everything.ts';

/** Editors write a file in several steps. */
const SETTLE_MS = 150;

await runEverything({
  mode: 'development',
  watch(restart) {
    let timer: NodeJS.Timeout | undefined;
    let work = Promise.resolve();
    const schedule = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        work = work.then(restart).catch((error: unknown) => console.error(error));
      }, SETTLE_MS);
    };
    for (const folder of ['client', 'server', 'shared']) watch(folder, { recursive: true }, schedule);
  },
});
