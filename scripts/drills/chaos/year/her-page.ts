import type { Registrant } from './register.ts';
import type { YearStage } from './stage.ts';

/** What she does on her page, by the link in her letter. */
export async function deedOnPage(
  _does: 'pay-now' | 'new-card',
  _registrant: Registrant,
  _stage: YearStage,
): Promise<void> {}
