import type { Logger } from '#server/service/logger.ts';
import type { User } from './user.ts';

/** The subject and the result of an act: ids only, never a name, an address or a text that somebody typed. */
export interface AuditFacts {
  paymentIntent?: string | undefined;
  edition?: string | undefined;
  /** An entry of the waiting list, by its customer. */
  waiting?: string | undefined;
  /** The id of its job. */
  mail?: string | undefined;
  /** `done` by default. */
  outcome?: 'done' | 'tried' | 'changed' | 'refused' | 'failed';
}

/** Writes who did what into the log. Each act of a user is logged here, whatever its result. */
export type Audit = (user: User, act: string, facts?: AuditFacts) => void;

export function createAudit(logger: Logger): Audit {
  return ({ name, role }, act, facts) =>
    logger.info({ audit: act, user: name, role, outcome: 'done', ...facts }, 'Act of a user');
}
