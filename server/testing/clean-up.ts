import type { TestContext } from 'node:test';

const pending = new WeakMap<TestContext, (() => Promise<unknown>)[]>();

/** Runs an action after the test. The last action runs first: what was opened last is closed first. */
export function cleanUp(t: TestContext, action: () => Promise<unknown>): void {
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
