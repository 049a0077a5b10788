import { parseArgs } from 'node:util';
import { buildWhenStale } from './when-stale.ts';

// When scripts/bootstrap.mjs runs this, the name of the command precedes the options.
const { values } = parseArgs({ options: { earlier: { type: 'string' } }, allowPositionals: true });

await buildWhenStale('production', 'dist', { ...values, always: true });
console.log('Built dist/.');
