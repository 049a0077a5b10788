import type { Request, Response } from 'express';
import { cookieOf } from '#server/http/cookies.ts';
import type { Links } from '#server/registration/links.ts';

/** An offer as a link or a cookie names it; whether it is still valid, Stripe says. */
export interface TakenOffer {
  waitingId: string;
  until: Date;
}

export type Taking = ReturnType<typeof createTaking>;

/** The cookie of a browser that opened an offer. It contains everything: the server stores nothing. */
export function createTaking(links: Pick<Links, 'format' | 'read'>, publicUrl: string, now: () => Date) {
  const secure = publicUrl.startsWith('https:');
  // Browsers accept the prefix only for the whole host, without a domain, and secure.
  const name = secure ? '__Host-offer' : 'offer';
  const attributes = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  return {
    open(res: Response, { waitingId, until }: TakenOffer): void {
      const text = links.format({ subject: waitingId, scope: 'taking', expiresAt: until });
      res.cookie(name, text, { ...attributes, maxAge: until.getTime() - now().getTime() });
    },
    /** Undefined without a cookie that this site made and that has not expired. */
    read(req: Request): TakenOffer | undefined {
      const text = cookieOf(req, name);
      const token = text === undefined ? undefined : links.read(text, now(), 'taking');
      return token && { waitingId: token.subject, until: token.expiresAt };
    },
    close(res: Response): void {
      res.clearCookie(name, attributes);
    },
  };
}
