import { useEffect } from 'react';
import { answerEarlyPresses } from '#client/islands/early-presses.ts';
import { useAppStore } from '#client/store/hooks.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { keepProgress } from './progress.ts';

/** Goes on with a registration that was kept; what a visitor pressed meanwhile is answered after that. */
export function useKeptProgress(): void {
  const store = useAppStore();
  useEffect(() => {
    keepProgress(store).then(() => answerEarlyPresses(REGISTER_SECTION_ID));
  }, [store]);
}
