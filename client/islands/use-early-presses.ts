import { useEffect } from 'react';
import { answerEarlyPresses } from './early-presses.ts';

/** Answers what was pressed in a part of the page before React had taken it over. */
export function useEarlyPresses(partId: string): void {
  useEffect(() => {
    answerEarlyPresses(partId);
  }, [partId]);
}
