import { rm } from 'node:fs/promises';
import { stopChildren } from '#scripts/product/child.ts';

/**
 * When somebody ends this process, its children end first and its folder goes; a second signal does not wait.
 * Returns what does the same without a signal.
 */
export function endWithSignal(folder: string): () => Promise<void> {
  const cleanUp = async (): Promise<void> => {
    await stopChildren();
    await rm(folder, { recursive: true, force: true });
  };
  let interrupted = false;
  const interrupt = async (): Promise<void> => {
    if (interrupted) process.exit(1);
    interrupted = true;
    await cleanUp();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  return cleanUp;
}
