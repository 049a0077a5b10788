import { judgeImports, readImports, sourceFiles } from './check-imports.ts';
import { walls } from './walls.ts';

const root = process.cwd();
const imports = readImports(root, sourceFiles(root, ['client', 'server', 'shared', 'scripts']));
const problems = judgeImports(imports, walls);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`Checked ${imports.length} imports.`);
