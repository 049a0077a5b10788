import { EventEmitter, once } from 'node:events';
import { createLogger, type Logger } from '#server/service/logger.ts';

/** A logger that keeps its lines. */
export interface TestLog {
  logger: Logger;
  text(): string;
  /** Waits until these words have been logged this many times. */
  until(words: string, times?: number): Promise<void>;
  /** Waits for the next line. */
  next(): Promise<void>;
}

/** A log in memory, at the level `trace`. */
export function createTestLog(): TestLog {
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
    async next() {
      await once(events, 'line');
    },
    async until(words, times = 1) {
      while (text().split(words).length <= times) await once(events, 'line');
    },
  };
}
