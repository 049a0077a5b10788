import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import { type ConfiguredUser, formatUser } from '#server/config/users.ts';
import { createSeal, keysFor, sha256Of } from '#server/registration/registration.ts';
import { cookieOf } from '#server/web/cookies.ts';
import type { Limiter } from '#server/web/limiter.ts';
import { findSignedIn, noteSignedIn, type SignedIn } from './user.ts';

const MINUTE_MS = 60_000;
const LONGEST_MS = 12 * 60 * MINUTE_MS;
const IDLE_MS = 2 * 60 * MINUTE_MS;

/** A session's cookie is written again after this time only, not with each page. */
const RENEWED_AFTER_MS = MINUTE_MS;

const KNOWN_FOR_MS = 180 * 24 * 60 * MINUTE_MS;

/** What a cookie says, and its MAC. */
const COOKIE = /^v1\.([a-z0-9_-]{1,40})\.([\w-]{22})\.(\d{1,15})(?:\.(\d{1,15}))?\.[\w-]{43}$/;

/** What a cookie says: a session of a user, or a browser in which she has signed in. */
interface Visit {
  name: string;
  id: string;
  startedMs: number;
  seenMs: number;
}

interface Dependencies {
  config: Pick<AppConfig, 'officeUrl' | 'publicUrl' | 'linkSecrets'>;
  users: ReadonlyMap<string, ConfiguredUser>;
  limiter: Pick<Limiter, 'takeOnce' | 'isTaken'>;
  time: () => Date;
}

/** Sessions are stored only in the browsers' cookies, so that people can sign in while Redis is unavailable. */
export function createSessions({ config, users, limiter, time }: Dependencies) {
  const nowMs = (): number => time().getTime();
  const begin = (name: string): Visit => {
    const startedMs = nowMs();
    return { name, id: randomBytes(16).toString('base64url'), startedMs, seenMs: startedMs };
  };
  const cookies = createCookies(config);
  const browsers = cookies(
    'office-browser',
    () => 'browser ',
    ({ seenMs }) => seenMs + KNOWN_FOR_MS,
  );
  // Signed with the user's line: a changed password, role or secret ends her sessions.
  const contextOf = (name: string) => {
    const user = users.get(name);
    return user && `${formatUser(user)} `;
  };
  const sessions = cookies('office', contextOf, ({ startedMs, seenMs }) =>
    Math.min(startedMs + LONGEST_MS, seenMs + IDLE_MS),
  );
  /** The browser of a request, if this user has signed in there in the last half year. */
  const knownBrowser = (req: Request, name: string): Visit | undefined => {
    const browser = browsers.read(req, nowMs());
    return browser?.name === name ? browser : undefined;
  };
  const note = (res: Response, { name, id }: Visit): SignedIn | undefined => {
    const user = users.get(name);
    return user && noteSignedIn(res, { user: { name, role: user.role }, token: sha256Of(`token ${id}`) });
  };
  return {
    knownBrowser,
    /** Opens a session, in a browser that is known for this user from now on. */
    open(req: Request, res: Response, name: string): void {
      const session = begin(name);
      browsers.write(req, res, { ...(knownBrowser(req, name) ?? begin(name)), seenMs: session.seenMs });
      sessions.write(req, res, session);
      note(res, session);
    },
    /** Who sent the request, if her session is valid; notes her with the response, and restarts the idle time. */
    async find(req: Request, res: Response): Promise<SignedIn | undefined> {
      const noted = findSignedIn(res);
      if (noted) return noted;
      const session = sessions.read(req, nowMs());
      if (!session || (await limiter.isTaken(['session-ends', session.id]))) return undefined;
      const seenMs = nowMs();
      if (seenMs >= session.seenMs + RENEWED_AFTER_MS) sessions.write(req, res, { ...session, seenMs });
      return note(res, session);
    },
    /** Ends the session of the request, also for copies of its cookie. */
    async close(req: Request, res: Response): Promise<void> {
      const session = sessions.read(req, nowMs());
      sessions.clear(req, res);
      if (session) await limiter.takeOnce(['session-ends', session.id]);
    },
  };
}

/** The office's cookies: for https only where one of the site's addresses is https, even if a request looks like http. */
function createCookies({ officeUrl, publicUrl, linkSecrets }: Dependencies['config']) {
  const isHttps = [officeUrl, publicUrl].some((url) => url?.startsWith('https:'));
  const seal = createSeal(keysFor('sessions of the office', linkSecrets));
  /** @param contextOf is signed with what the cookie says; undefined where no cookie of this name is valid */
  return (
    cookieName: 'office' | 'office-browser',
    contextOf: (name: string) => string | undefined,
    endOf: (visit: Visit) => number,
  ) => {
    const cookie = (req: Request) => cookieOf(cookieName, isHttps || req.secure);
    return {
      read(req: Request, nowMs: number): Visit | undefined {
        const text = cookie(req).read(req) ?? '';
        const [, name = '', id = '', started, seen = started] = COOKIE.exec(text) ?? [];
        const context = contextOf(name);
        if (context === undefined || seal.open(text, context) === undefined) return undefined;
        const visit = { name, id, startedMs: Number(started), seenMs: Number(seen) };
        return nowMs < endOf(visit) ? visit : undefined;
      },
      write(req: Request, res: Response, visit: Visit): void {
        const text = ['v1', visit.name, visit.id, visit.startedMs, visit.seenMs].join('.');
        cookie(req).set(res, seal.seal(text, contextOf(visit.name)), endOf(visit) - visit.seenMs);
      },
      clear: (req: Request, res: Response) => cookie(req).clear(res),
    };
  };
}
