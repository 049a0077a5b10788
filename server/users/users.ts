import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { Counter, type Registry } from 'prom-client';
import type { AppConfig } from '#server/config/config.ts';
import type { Role } from '#server/config/users.ts';
import { AppError } from '#server/http/app-error.ts';
import type { Limiter, Point } from '#server/http/limiter.ts';
import { visitorNetwork } from '#server/http/visitor-address.ts';
import { createSeal, keysFor, type Seal } from '#server/registration/seal.ts';
import type { Logger } from '#server/service/logger.ts';
import { typedText } from '#shared/typed-text.ts';
import { createCodes, createPasswords } from './credentials.ts';
import { type Cookies, createCookies, createSessions } from './sessions.ts';
import { findSignedIn, type SignedIn } from './user.ts';

/** Access control for the office's pages. */
export type Users = ReturnType<typeof createUsers>;

const NOT_SIGNED_IN =
  'You are no longer signed in, so nothing was done. Please sign in: what you typed is then shown again.';
const FORBIDDEN = 'This page is for support. Ask them if you need something here.';

interface UsersDependencies {
  config: Pick<AppConfig, 'users' | 'linkSecrets' | 'officeUrl' | 'publicUrl'>;
  limiter: Limiter;
  metrics: Registry;
  logger: Logger;
  /** The sign-in page; `?to=` says where to redirect afterwards. */
  signInPath: string;
  /** The machine's time: neither sessions nor limits use the site's business date. */
  time?: (() => Date) | undefined;
}

export function createUsers(dependencies: UsersDependencies) {
  const { config, limiter, metrics, logger, signInPath, time = () => new Date() } = dependencies;
  const users = new Map(config.users.map((user) => [user.name, user]));
  const seal = createSeal(keysFor('sessions of the office', config.linkSecrets));
  const cookies = createCookies(config);
  const sessions = createSessions({ cookies, users, seal, limiter, time });
  const limits = createSignInLimits({ limiter, cookies, seal, time });
  const passwords = createPasswords(config.users[0]?.password);
  const codes = createCodes(limiter, time);
  const count = countSignIns(metrics);
  const find = async (req: Request, res: Response): Promise<SignedIn | undefined> =>
    findSignedIn(res) ?? sessions.find(req, res);
  return {
    /** Whether there are users; if not, the sign-in page says how to make one. */
    hasUsers: users.size > 0,
    /** Whether somebody has an authenticator. */
    hasCodes: config.users.some(({ totp }) => totp !== undefined),
    /** Opens a session; or returns that something that was typed is wrong, or how long to wait. */
    async signIn(
      req: Request,
      res: Response,
      { name: typedName, password, code }: { name: string; password: string; code: string },
    ): Promise<'signed-in' | 'wrong' | { waitS: number }> {
      const name = typedText(typedName).toLowerCase();
      const user = users.get(name);
      const admitted = await limits.count(req, name);
      // Only a known name is logged: the typed name may be a password.
      const who = user && { user: user.name, role: user.role };
      if (typeof admitted === 'number') {
        count('throttled');
        logger.warn({ ...who }, 'Too many tries to sign in: this one has to wait');
        return { waitS: admitted };
      }
      const isRight = await passwords.isRight(password, user?.password, { first: admitted.isKnown });
      if (!user || !isRight) {
        count('wrong');
        logger.warn({ ...who }, 'Wrong password or code');
        return 'wrong';
      }
      // Who tries is not told that the password is right.
      if (!(await codes.accept(user, code))) {
        count('wrong-code');
        logger.warn({ ...who }, 'Right password, wrong code');
        return 'wrong';
      }
      await admitted.takeBack();
      limits.remember(req, res, name);
      sessions.open(req, res, user);
      count('signed-in');
      logger.info({ ...who }, 'Signed in');
      return 'signed-in';
    },
    async signOut(req: Request, res: Response): Promise<void> {
      const who = await find(req, res);
      await sessions.close(req, res);
      if (who) logger.info({ user: who.user.name, role: who.user.role }, 'Signed out');
    },
    find,
    /**
     * Lets users through, or only those of a role: `support` may do everything that `office` may. A page that somebody
     * opens redirects to the sign-in and back.
     */
    require:
      (role?: Role): RequestHandler =>
      async (req, res, next) => {
        const who = await find(req, res);
        if (!who) {
          if (isOpened(req)) res.redirect(303, `${signInPath}?to=${encodeURIComponent(req.originalUrl)}`);
          else next(new AppError({ code: 'not_signed_in', status: 401, message: NOT_SIGNED_IN }));
        } else if (role === 'support' && who.user.role !== 'support') {
          logger.warn({ user: who.user.name, role: who.user.role }, 'Refused: this wants another role');
          next(new AppError({ code: 'forbidden', status: 403, message: FORBIDDEN }));
        } else next();
      },
    /** Whether the given value is the token of her session's forms. */
    isToken: (given: unknown, req: Request): boolean =>
      typeof given === 'string' && sessions.isToken(given, req),
  };
}

function countSignIns(metrics: Registry) {
  const outcomes = ['signed-in', 'wrong', 'wrong-code', 'throttled'] as const;
  const signIns = new Counter({
    name: 'office_sign_ins_total',
    help: 'Tries to sign in to the office’s pages, by what came of them',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of outcomes) signIns.inc({ outcome }, 0);
  return (outcome: (typeof outcomes)[number]): void => signIns.inc({ outcome });
}

const isOpened = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const KNOWN = /^v1\.([a-z0-9_-]{1,40})\.([\w-]{22})\.(\d{1,15})$/;
const CONTEXT = 'browser ';
const KNOWN_FOR_MS = 180 * 24 * 60 * 60 * 1000;

interface Dependencies {
  limiter: Limiter;
  cookies: Cookies;
  seal: Seal;
  time: () => Date;
}

/**
 * Limits password guesses, by one stranger or by many, without locking out those who know their passwords.
 * Attempts are counted by network and by name; from a browser in which the user has signed in before, for
 * that browser only.
 * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
export function createSignInLimits({ limiter, cookies, seal, time }: Dependencies) {
  /** The id of the browser, if the user has signed in with it. */
  const knownBrowser = (req: Request, name: string): string | undefined => {
    const text = cookies(req, 'office-browser').read(req) ?? '';
    const [, knows, id, since] = KNOWN.exec(seal.open(text, CONTEXT) ?? '') ?? [];
    return knows === name && time().getTime() < Number(since) + KNOWN_FOR_MS ? id : undefined;
  };
  const pointsOfStranger = (req: Request, name: string): Point[] => [
    ['sign-in-network', visitorNetwork(req)],
    ['sign-in-name', name],
    ['sign-in-all', ''],
  ];
  return {
    /**
     * Counts an attempt before its password is compared, so that parallel attempts cannot get past the limit.
     * @returns for how many seconds it has to wait, or that its password may be compared
     */
    async count(req: Request, name: string) {
      const browser = knownBrowser(req, name);
      const points: Point[] = browser ? [['sign-in-browser', browser]] : pointsOfStranger(req, name);
      const refusal = await limiter.take(...points);
      if (refusal) return refusal.waitS;
      return {
        /** Whether the user has signed in with this browser before. */
        isKnown: browser !== undefined,
        /** Takes the attempt back, because its password is right. */
        takeBack: () => limiter.giveBack(...points),
      };
    },
    remember(req: Request, res: Response, name: string): void {
      const id = knownBrowser(req, name) ?? randomBytes(16).toString('base64url');
      const text = seal.seal(['v1', name, id, time().getTime()].join('.'), CONTEXT);
      cookies(req, 'office-browser').set(res, text, KNOWN_FOR_MS);
    },
  };
}
