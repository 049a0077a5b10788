import type { Payments } from '#server/payments/payments.ts';
import { isProof } from '#server/payments/second-factor.ts';
import type { OwnPageLimits } from './own-page-limits.ts';
import type { Visit } from './visits.ts';

/**
 * What is wrong with the proof that it is she who presses; undefined when it is right: holding a link to her page is none.
 * Each attempt counts, right or wrong; a wrong one is recorded, and a letter tells her of it.
 */
export type RefuteProof = (visit: Visit, typed: string) => Promise<'wrong' | 'spent' | undefined>;

interface Dependencies {
  payments: Pick<Payments, 'recordWrongProof'>;
  limits: OwnPageLimits;
  now: () => Date;
}

export function createProofs({ payments, limits, now }: Dependencies): RefuteProof {
  return async ({ session, record, secondFactor }, typed) => {
    if (!(await limits.admitsIn(session, 'proofs'))) return 'spent';
    if (isProof(secondFactor, typed)) return undefined;
    await payments.recordWrongProof(record, now());
    return 'wrong';
  };
}
