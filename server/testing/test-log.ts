import { createLogger, type Logger } from '#server/logger.ts';

/** A logger that keeps its lines. */
export interface TestLog {
  logger: Logger;
  text(): string;
}

/** A log in memory, at its most talkative. */
export function createTestLog(): TestLog {
  const lines: string[] = [];
  return {
    logger: createLogger('app', 'trace', { write: (line) => lines.push(line) }),
    text: () => lines.join(''),
  };
}
