import type { Response } from 'express';
import type { Logger } from '#server/config/logger.ts';
import type { Role } from '#server/config/users.ts';
import { isSame } from '#server/registration/registration.ts';

export interface User {
  name: string;
  role: Role;
}

/** Who sent a request, and the token that her forms carry against forgery. */
export interface SignedIn {
  user: User;
  token: string;
}

const signedIn = new WeakMap<Response, SignedIn>();

export function noteSignedIn(res: Response, who: SignedIn): SignedIn {
  signedIn.set(res, who);
  return who;
}

export function findSignedIn(res: Response): SignedIn | undefined {
  return signedIn.get(res);
}

/** Who sent the request of this response; only for routes behind the sign-in. */
export function signedInOf(res: Response): SignedIn {
  const who = signedIn.get(res);
  if (!who) throw new Error('This page is not behind the sign-in');
  return who;
}

export const isTokenOf = ({ token }: SignedIn, given: unknown): boolean =>
  typeof given === 'string' && isSame(given, token);

/** The subject and the result of an act: ids only, never a name, an address or a text that somebody typed. */
export interface AuditFacts {
  registration?: string | undefined;
  edition?: string | undefined;
  /** An entry of the waiting list, by its customer. */
  waiting?: string | undefined;
  mail?: string | undefined;
  /** `done` by default. */
  outcome?: 'done' | 'tried' | 'changed' | 'refused' | 'failed';
}

export const logged = ({ name, role }: User) => ({ user: name, role });

/** Writes who did what into the log. Each act of a user is logged here, whatever its result. */
export type Audit = (user: User, act: string, facts?: AuditFacts) => void;

export function createAudit(logger: Logger): Audit {
  return (user, act, facts) =>
    logger.info({ audit: act, ...logged(user), outcome: 'done', ...facts }, 'Act of a user');
}
