import type { Payments } from '#server/payments/payments.ts';
import { isProof } from '#server/payments/second-factor.ts';
import type { OwnPageLimits } from './own-page-limits.ts';
import type { Visit } from './visits.ts';

/** The proof that it is she who presses: holding a link to her page is none. */
export interface Proofs {
  /**
   * What is wrong with the proof that was typed; undefined when it is right. Each attempt counts, right or wrong; a wrong
   * one is recorded, and a letter tells her of it.
   */
  refute(visit: Visit, typed: string): Promise<'wrong' | 'spent' | undefined>;
}

interface Dependencies {
  payments: Pick<Payments, 'recordWrongProof'>;
  limits: OwnPageLimits;
  now: () => Date;
}

export function createProofs({ payments, limits, now }: Dependencies): Proofs {
  return {
    async refute({ session, record, secondFactor }, typed) {
      if (!(await limits.admitsIn(session, 'proofs'))) return 'spent';
      if (isProof(secondFactor, typed)) return undefined;
      await payments.recordWrongProof(record, now());
      return 'wrong';
    },
  };
}
