import { parseArgs } from 'node:util';
import { build } from './build.ts';

// The name of the command stands before the options where scripts/bootstrap.mjs runs this.
const { values } = parseArgs({ options: { earlier: { type: 'string' } }, allowPositionals: true });

await build('production', 'dist', values.earlier);
console.log('Built dist/.');
