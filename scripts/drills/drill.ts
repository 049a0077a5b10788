import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stopChildren } from '#scripts/product/child.ts';

/** The options of a run, except its size. */
export interface DrillRun {
  seed: number;
  /** For Redis's files; the caller removes it. */
  folder: string;
  say: (sentence: string) => void;
}

/** What came of a run. */
export interface Outcome {
  report: string;
  problems: readonly string[];
  logLines?: readonly string[];
}

/**
 * Runs a drill in a folder of its own below `.data/`, which goes afterwards. On a signal too, after the children of this
 * process; a second signal does not wait.
 */
export async function inFolder<Result>(
  name: string,
  drill: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(process.cwd(), '.data', `${name}-${process.pid}`);
  const remove = () => rm(folder, { recursive: true, force: true });
  let interrupted = false;
  const interrupt = async (): Promise<void> => {
    if (interrupted) process.exit(1);
    interrupted = true;
    await stopChildren();
    await remove();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  await mkdir(folder, { recursive: true });
  return drill(folder).finally(remove);
}

export type Row = readonly [string, ...(string | number)[]];

/** Rows under each other; the first cell is aligned left, the others right. */
export function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, ...cells]) =>
    [label.padEnd(width), ...cells.map((cell) => String(cell).padStart(9))].join(' '),
  );
  return `${lines.join('\n')}\n`;
}
