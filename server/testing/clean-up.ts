import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test, of Node's runner or of Playwright, as far as helpers need it: something can be run when it ends. */
export interface TestScope {
  after(action: () => unknown): void;
}

const pending = new WeakMap<TestScope, (() => Promise<unknown>)[]>();

/** Runs an action after the test. The last action runs first: what was opened last is closed first. */
export function cleanUp(t: TestScope, action: () => Promise<unknown>): void {
  const actions = pending.get(t);
  if (actions) {
    actions.push(action);
    return;
  }
  const first = [action];
  pending.set(t, first);
  t.after(async () => {
    for (const next of first.toReversed()) await next();
  });
}

/** An empty folder, which is removed after the test. */
export async function testFolder(t: TestScope, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  cleanUp(t, () => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Does some work that is no test, and then, the last first, what was left for its end. */
export async function inScope<Result>(work: (scope: TestScope) => Promise<Result>): Promise<Result> {
  const ends: (() => unknown)[] = [];
  try {
    return await work({ after: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
