import { parseArgs } from 'node:util';
import { buildNow } from './when-stale.ts';

// When scripts/bootstrap.mjs runs this, the name of the command precedes the options.
const { values } = parseArgs({ options: { earlier: { type: 'string' } }, allowPositionals: true });

await buildNow('production', 'dist', values.earlier);
console.log('Built dist/.');
