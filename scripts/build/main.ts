import { build } from './build.ts';

await build('production', 'dist');
console.log('Built dist/.');
