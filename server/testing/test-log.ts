import { EventEmitter, once } from 'node:events';
import { createLogger } from '#server/config/logger.ts';

export type TestLog = ReturnType<typeof createTestLog>;

/** A log in memory, at the level `trace`. */
export function createTestLog() {
  const lines: string[] = [];
  const events = new EventEmitter();
  const write = (line: string): void => {
    lines.push(line);
    events.emit('line');
  };
  const text = (): string => lines.join('');
  return {
    logger: createLogger('app', 'trace', { write }),
    text,
    /** The lines that contain these words, as objects. */
    lines: (words: string) => lines.filter((line) => line.includes(words)).map((line) => JSON.parse(line)),
    async next(): Promise<void> {
      await once(events, 'line');
    },
    /** Waits until these words have been logged this many times. */
    async until(words: string, times = 1): Promise<void> {
      while (text().split(words).length <= times) await once(events, 'line');
    },
  };
}
