import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';

const packageSchema = v.object({ version: v.string() });

/** The version of the package that a folder belongs to: this one's, from its sources as from `dist/`. */
export function packageVersion(folder = import.meta.dirname): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return v.parse(packageSchema, JSON.parse(readFileSync(file, 'utf8'))).version;
  if (dirname(folder) === folder) throw new Error('There is no package.json above this program');
  return packageVersion(dirname(folder));
}
