import { closeSync, fsyncSync, openSync } from 'node:fs';
import { openFile } from './sqlite-library.ts';

/** Writes one copy of a register and checks it, as a process of its own, so that the worker goes on meanwhile; see `copies.ts`. */
function copyRegister(from: string, to: string, at: string): void {
  const register = openFile(from, { readOnly: true });
  register.prepare('vacuum into ?').run(to);
  register.close();

  const copy = openFile(to);
  copy.prepare('update register set copy_of = name, copied_at = ?, compared_at = null').run(at);
  const [found] = copy.prepare('pragma integrity_check').all();
  if (found?.integrity_check !== 'ok') throw new Error(`The copy is damaged: ${JSON.stringify(found)}`);
  copy.close();

  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

const [from = '', to = '', at = ''] = process.argv.slice(2);
try {
  copyRegister(from, to, at);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
