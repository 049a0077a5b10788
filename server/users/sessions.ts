import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import { type ConfiguredUser, formatUser } from '#server/config/users.ts';
import { cookieOf } from '#server/http/cookies.ts';
import type { Limiter } from '#server/http/limiter.ts';
import type { Seal } from '#server/registration/seal.ts';
import { noteSignedIn, type SignedIn } from './user.ts';

const MINUTE_MS = 60_000;
const LONGEST_MS = 12 * 60 * MINUTE_MS;
const IDLE_MS = 2 * 60 * MINUTE_MS;

/** How long until a used session's cookie is written again: not with each page. */
const RENEWED_AFTER_MS = MINUTE_MS;

/** What a cookie says, and its MAC. */
const COOKIE = /^v1\.([a-z0-9_-]{1,40})\.([\w-]{22})\.(\d{1,15})\.(\d{1,15})\.[\w-]{43}$/;

interface Session {
  user: ConfiguredUser;
  id: string;
  startedMs: number;
  /** When the session was last used, to the minute. */
  seenMs: number;
}

interface Dependencies {
  cookies: Cookies;
  users: ReadonlyMap<string, ConfiguredUser>;
  seal: Seal;
  limiter: Pick<Limiter, 'takeOnce' | 'isTaken'>;
  /** The machine's time: sessions do not use the site's business date. */
  time: () => Date;
}

/**
 * Sessions are stored only in the browsers' cookies, so that people can sign in while Redis is unavailable. A cookie is
 * signed together with the user's line: a changed password, role or secret ends her sessions.
 */
export function createSessions({ cookies, users, seal, limiter, time }: Dependencies) {
  const nowMs = (): number => time().getTime();
  const write = (req: Request, res: Response, { user, id, startedMs, seenMs }: Session): void => {
    const text = seal.seal(['v1', user.name, id, startedMs, seenMs].join('.'), contextOf(user));
    const endsMs = Math.min(startedMs + LONGEST_MS, seenMs + IDLE_MS);
    cookies(req, 'office').set(res, text, endsMs - seenMs);
  };
  const read = (req: Request): Session | undefined => {
    const text = cookies(req, 'office').read(req) ?? '';
    const [, name = '', id = '', started, seen] = COOKIE.exec(text) ?? [];
    const user = users.get(name);
    if (!user || seal.open(text, contextOf(user)) === undefined) return undefined;
    const session = { user, id, startedMs: Number(started), seenMs: Number(seen) };
    const isOver = nowMs() >= session.startedMs + LONGEST_MS || nowMs() >= session.seenMs + IDLE_MS;
    return isOver ? undefined : session;
  };
  const note = (res: Response, { user: { name, role }, id }: Pick<Session, 'user' | 'id'>): SignedIn => {
    const who = { user: { name, role }, token: seal.macOf(tokenText(id)) };
    noteSignedIn(res, who);
    return who;
  };
  return {
    open(req: Request, res: Response, user: ConfiguredUser): void {
      const id = randomBytes(16).toString('base64url');
      const startedMs = nowMs();
      write(req, res, { user, id, startedMs, seenMs: startedMs });
      note(res, { user, id });
    },
    /** Who sent the request, if her session is valid; notes her with the response, and restarts the idle time. */
    async find(req: Request, res: Response): Promise<SignedIn | undefined> {
      const session = read(req);
      if (!session || (await limiter.isTaken(['session-ends', session.id]))) return undefined;
      if (nowMs() >= session.seenMs + RENEWED_AFTER_MS) write(req, res, { ...session, seenMs: nowMs() });
      return note(res, session);
    },
    /** Ends the session of the request, also for copies of its cookie. */
    async close(req: Request, res: Response): Promise<void> {
      const session = read(req);
      cookies(req, 'office').clear(res);
      if (session) await limiter.takeOnce(['session-ends', session.id]);
    },
    isToken(given: string, req: Request): boolean {
      const session = read(req);
      return session !== undefined && seal.isMac(given, tokenText(session.id));
    },
  };
}

function contextOf(user: ConfiguredUser): string {
  return `${formatUser(user)} `;
}

/** Signed text of another form than that of a cookie, so that neither can be used as the other. */
function tokenText(id: string): string {
  return `token ${id}`;
}

export type Cookies = ReturnType<typeof createCookies>;

/** The office's cookies: for https only where one of the site's addresses is https, even if a request looks like http. */
export function createCookies({ officeUrl, publicUrl }: Pick<AppConfig, 'officeUrl' | 'publicUrl'>) {
  const isHttps = [officeUrl, publicUrl].some((url) => url?.startsWith('https:'));
  return (req: Request, name: 'office' | 'office-browser') => cookieOf(name, isHttps || req.secure);
}
