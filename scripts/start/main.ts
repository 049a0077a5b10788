import { runEverything } from './run-everything.ts';

await runEverything({ mode: 'production' });
