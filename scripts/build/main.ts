import { build } from './build.ts';

const [earlier] = process.argv.slice(2);

await build('production', 'dist', earlier);
console.log('Built dist/.');
