import type { Response } from 'express';
import type { Role } from '#server/config/users.ts';

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

/** Notes who sent the request of this response. */
export function noteSignedIn(res: Response, who: SignedIn): void {
  signedIn.set(res, who);
}

/** Who sent the request of this response, if she is signed in. */
export function findSignedIn(res: Response): SignedIn | undefined {
  return signedIn.get(res);
}

/** Who sent the request of this response; only for routes behind the sign-in. */
export function signedInOf(res: Response): SignedIn {
  const who = signedIn.get(res);
  if (!who) throw new Error('This page is not behind the sign-in');
  return who;
}
