import { isProof } from '#server/payments/second-factor.ts';
import type { OwnPageLimits } from './own-page-limits.ts';
import type { Visit } from './visits.ts';

/** The proof that it is she who presses: holding a link to her page is none. */
export interface Proofs {
  /** What is wrong with the proof that was typed; undefined when it is right. Each attempt counts, right or wrong. */
  refute(visit: Visit, typed: string): Promise<'wrong' | 'spent' | undefined>;
}

export function createProofs({ limits }: { limits: OwnPageLimits }): Proofs {
  return {
    async refute({ session, secondFactor }, typed) {
      if (!(await limits.admitsIn(session, 'proofs'))) return 'spent';
      return isProof(secondFactor, typed) ? undefined : 'wrong';
    },
  };
}
