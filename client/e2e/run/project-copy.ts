import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type TestScope, testFolder } from '#server/testing/clean-up.ts';

const NOT_COPIED = ['.git', '.env', 'node_modules', '.data', 'dist', join('shared', 'content', 'compiled')];

/** Copies the sources as they are now to a folder of its own, where git tells what is changed afterwards. */
export async function copySources(scope: TestScope): Promise<string> {
  const project = await testFolder(scope, 'next-edition');
  const filter = (path: string) => !NOT_COPIED.includes(path);
  // One by one, because the folder may be below one that is not copied.
  for (const name of (await readdir('.')).filter(filter))
    await cp(name, join(project, name), { recursive: true, filter });
  run(project, 'git', 'init', '--quiet');
  run(project, 'git', 'add', '--all');
  await symlink(resolve('node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, '.git/info/exclude'), 'node_modules\n');
  return project;
}

export async function replaceLine(path: string, line: RegExp, by: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace(line, by));
}

export function run(folder: string, program: string, ...args: string[]): string {
  const { EDITION_UNDER_TEST: _, ...env } = process.env;
  return execFileSync(program, args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 1e8 });
}
