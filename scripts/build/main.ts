import { buildWhenStale } from './when-stale.ts';

await buildWhenStale('production', 'dist', { always: true });
console.log('Built dist/.');
