import { randomBytes } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import { type ConfiguredUser, formatUser } from '#server/config/users.ts';
import { cookieOf } from '#server/http/cookie-of.ts';
import type { ShortNotes } from './short-notes.ts';
import type { Signer } from './signer.ts';
import { noteSignedIn, type SignedIn } from './user.ts';

const MINUTE_MS = 60_000;
const LONGEST_MS = 12 * 60 * MINUTE_MS;
const IDLE_MS = 2 * 60 * MINUTE_MS;

/** The cookie of a page that is loaded again and again is not written each time. */
const RENEWED_AFTER_MS = MINUTE_MS;

const COOKIE = /^v1\.([a-z0-9_-]{1,40})\.([\w-]{22})\.(\d{1,15})\.(\d{1,15})\.([\w-]{43})$/;

interface Session {
  user: ConfiguredUser;
  id: string;
  startedMs: number;
  /** When it was last used, to the minute. */
  seenMs: number;
}

/**
 * Sessions stand in the browsers' cookies alone, so that people can sign in while Redis is away. A cookie is signed
 * together with the user's line: a changed password, role or secret ends her sessions.
 */
export interface Sessions {
  open(req: Request, res: Response, user: ConfiguredUser): void;
  /** Who sent the request, if her session goes on; it is noted with the answer, and begins to be idle again. */
  find(req: Request, res: Response): Promise<SignedIn | undefined>;
  /** Ends the session of the request also for a copy of its cookie. */
  close(req: Request, res: Response): Promise<void>;
  isToken(given: string, req: Request): boolean;
}

interface Dependencies {
  users: ReadonlyMap<string, ConfiguredUser>;
  signer: Signer;
  /** The ids of sessions that were ended before their time. */
  ended: ShortNotes;
  /** The machine's: sessions do not follow the clock of business dates. */
  time: () => Date;
}

export function createSessions({ users, signer, ended, time }: Dependencies): Sessions {
  const nowMs = (): number => time().getTime();
  const write = (req: Request, res: Response, { user, id, startedMs, seenMs }: Session): void => {
    const said = ['v1', user.name, id, startedMs, seenMs].join('.');
    const text = `${said}.${signer.macOf(signedText(said, user))}`;
    const endsMs = Math.min(startedMs + LONGEST_MS, seenMs + IDLE_MS);
    res.cookie(cookieName(req, 'office'), text, { ...cookieAttributes(req), maxAge: endsMs - seenMs });
  };
  const read = (req: Request): Session | undefined => {
    const text = cookieOf(req, cookieName(req, 'office')) ?? '';
    const [, name = '', id = '', started, seen, mac = ''] = COOKIE.exec(text) ?? [];
    const user = users.get(name);
    if (!user || !signer.isMac(mac, signedText(text.slice(0, text.lastIndexOf('.')), user))) return undefined;
    const session = { user, id, startedMs: Number(started), seenMs: Number(seen) };
    const isOver = nowMs() >= session.startedMs + LONGEST_MS || nowMs() >= session.seenMs + IDLE_MS;
    return isOver ? undefined : session;
  };
  return {
    open(req, res, user) {
      const id = randomBytes(16).toString('base64url');
      const startedMs = nowMs();
      write(req, res, { user, id, startedMs, seenMs: startedMs });
    },
    async find(req, res) {
      const session = read(req);
      if (!session || (await ended.has(session.id))) return undefined;
      if (nowMs() >= session.seenMs + RENEWED_AFTER_MS) write(req, res, { ...session, seenMs: nowMs() });
      const { name, role } = session.user;
      const who = { user: { name, role }, token: signer.macOf(tokenText(session.id)) };
      noteSignedIn(res, who);
      return who;
    },
    async close(req, res) {
      const session = read(req);
      res.clearCookie(cookieName(req, 'office'), cookieAttributes(req));
      if (session) await ended.note(session.id, session.startedMs + LONGEST_MS - nowMs());
    },
    isToken(given, req) {
      const session = read(req);
      return session !== undefined && signer.isMac(given, tokenText(session.id));
    },
  };
}

function signedText(said: string, user: ConfiguredUser): string {
  return `${said} ${formatUser(user)}`;
}

/** Never taken for what a cookie says. */
function tokenText(id: string): string {
  return `token ${id}`;
}

/** Browsers accept the prefix only for the whole host, without a domain, and secure. */
export function cookieName(req: Request, name: string): string {
  return req.secure ? `__Host-${name}` : name;
}

export function cookieAttributes(req: Request): CookieOptions {
  return { httpOnly: true, sameSite: 'lax', secure: req.secure, path: '/' };
}
