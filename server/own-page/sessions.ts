import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { cookieOf } from '#server/http/cookies.ts';
import type { LinkScope, OwnPageLinks, OwnPageToken } from '#server/links/links.ts';
import { SESSION_DAYS } from '#shared/kept-for.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a session lasts at most: a link in a letter opens a new one. */
const LONGEST_MS = {
  session: SESSION_DAYS * DAY_MS,
  view: 60 * 60 * 1000,
  office: 60 * 60 * 1000,
} as const satisfies Partial<Record<LinkScope, number>>;
type SessionScope = keyof typeof LONGEST_MS;

/** What a browser's cookie opens. */
export interface Session {
  token: OwnPageToken;
  /** The token as the cookie holds it. */
  text: string;
}

export type Sessions = ReturnType<typeof createSessions>;

/** The cookies that open her page. They contain the whole session: the server stores nothing. */
export function createSessions(links: OwnPageLinks, publicUrl: string, now: () => Date) {
  const secure = publicUrl.startsWith('https:');
  // Browsers accept the prefix only for the whole host, without a domain, and secure.
  const name = secure ? '__Host-place' : 'place';
  const attributes = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  /** `none` without a cookie, `invalid` with one that opens nothing. */
  const read = (req: Request): Session | 'none' | 'invalid' => {
    const text = cookieOf(req, name);
    if (text === undefined) return 'none';
    const token = links.read(text, now());
    return token && token.scope in LONGEST_MS ? { token, text } : 'invalid';
  };
  return {
    read,
    /** The session of a browser that may act; undefined without one. */
    readActing(req: Request): Session | undefined {
      const session = read(req);
      return typeof session !== 'string' && session.token.scope === 'session' ? session : undefined;
    },
    /** Sets the cookie, which is valid as long as its scope allows and never beyond `expiresAt`. */
    open(
      res: Response,
      { expiresAt, ...opened }: Omit<OwnPageToken, 'scope'> & { scope: SessionScope },
    ): void {
      const maxAge = Math.min(LONGEST_MS[opened.scope], expiresAt.getTime() - now().getTime());
      const nonce = randomBytes(8).toString('hex');
      const text = links.format({ ...opened, nonce, expiresAt: new Date(now().getTime() + maxAge) });
      res.cookie(name, text, { ...attributes, maxAge });
    },
    close(res: Response): void {
      res.clearCookie(name, attributes);
    },
  };
}
