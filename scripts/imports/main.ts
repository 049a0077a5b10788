import { judgeImports, readSources } from './check-imports.ts';
import { walls } from './walls.ts';

const problems = judgeImports(readSources(['client', 'server', 'shared', 'scripts']), walls);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('All imports follow scripts/imports/walls.ts.');
