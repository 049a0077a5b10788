import type { Request, RequestHandler, Response } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import type { Logger } from '#server/config/logger.ts';
import type { Role } from '#server/config/users.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { AppError } from '#server/web/app-error.ts';
import type { Limiter, Point } from '#server/web/limiter.ts';
import { visitorNetwork } from '#server/web/visitor-address.ts';
import { typedText } from '#shared/typed-text.ts';
import { acceptCode, createPasswordCheck } from './credentials.ts';
import { createSessions } from './sessions.ts';
import { isTokenOf, logged } from './user.ts';

export type Users = ReturnType<typeof createUsers>;

const NOT_SIGNED_IN =
  'You are no longer signed in, so nothing was done. Please sign in: what you typed is then shown again.';
const FORBIDDEN = 'This page is for support. Ask them if you need something here.';

/** What came of a try to sign in, and how the log says it. */
const OUTCOMES = {
  'signed-in': 'Signed in',
  wrong: 'Wrong password or code',
  'wrong-code': 'Right password, wrong code',
  throttled: 'Too many tries to sign in: this one has to wait',
} as const;

interface Credentials {
  name: string;
  password: string;
  code: string;
}

interface Dependencies {
  config: Pick<AppConfig, 'users' | 'linkSecrets' | 'officeUrl' | 'publicUrl'>;
  limiter: Limiter;
  metrics: Pick<Metrics, 'count'>;
  logger: Logger;
  /** The sign-in page; `?to=` says where to redirect afterwards. */
  signInPath: string;
  /** The machine's time: neither sessions nor limits use the site's business date. */
  time?: (() => Date) | undefined;
}

export function createUsers(dependencies: Dependencies) {
  const { config, limiter, metrics, logger, signInPath, time = () => new Date() } = dependencies;
  const users = new Map(config.users.map((user) => [user.name, user]));
  const sessions = createSessions({ config, users, limiter, time });
  const isRightPassword = createPasswordCheck(config.users[0]?.password);

  /**
   * Limits guesses, by one stranger or by many, without locking out those who know their passwords: attempts count by
   * network and by name; from a browser in which the user has signed in before, for that browser only.
   * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
   */
  async function attempt(
    req: Request,
    { name, password, code }: Credentials,
  ): Promise<{ outcome: keyof typeof OUTCOMES; waitS?: number }> {
    const user = users.get(name);
    const browser = sessions.knownBrowser(req, name);
    const points: Point[] = browser
      ? [['sign-in-browser', browser.id]]
      : [
          ['sign-in-network', visitorNetwork(req)],
          ['sign-in-name', name],
          ['sign-in-all', ''],
        ];
    // Before the password is compared, so that parallel attempts cannot get past the limit.
    const refusal = await limiter.take(...points);
    if (refusal) return { outcome: 'throttled', waitS: refusal.waitS };
    const isRight = await isRightPassword(password, user?.password, { first: browser !== undefined });
    if (!user || !isRight) return { outcome: 'wrong' };
    if (!(await acceptCode(limiter, user, code, time()))) return { outcome: 'wrong-code' };
    await limiter.giveBack(...points);
    return { outcome: 'signed-in' };
  }

  return {
    hasUsers: users.size > 0,
    hasCodes: config.users.some(({ totp }) => totp !== undefined),
    /** Opens a session if all is right. Whoever tries must not learn that a password was right beside a wrong code. */
    async signIn(req: Request, res: Response, typed: Credentials) {
      const name = typedText(typed.name).toLowerCase();
      const result = await attempt(req, { ...typed, name });
      const { outcome } = result;
      const isIn = outcome === 'signed-in';
      if (isIn) sessions.open(req, res, name);
      metrics.count('office_sign_ins_total', { outcome });
      // Only a known name is logged: the typed name may be a password.
      const user = users.get(name);
      logger[isIn ? 'info' : 'warn']({ ...(user && logged(user)) }, OUTCOMES[outcome]);
      return result;
    },
    /** Ends the session; not by a form of another one. */
    async signOut(req: Request, res: Response): Promise<boolean> {
      const who = await sessions.find(req, res);
      if (who && !isTokenOf(who, req.body?.token)) return false;
      await sessions.close(req, res);
      if (who) logger.info(logged(who.user), 'Signed out');
      return true;
    },
    find: sessions.find,
    /**
     * Lets users through, or only those of a role: `support` may do everything that `office` may. A page that somebody
     * opens redirects to the sign-in and back.
     */
    require:
      (role?: Role): RequestHandler =>
      async (req, res, next) => {
        const who = await sessions.find(req, res);
        const isOpened = req.method === 'GET' || req.method === 'HEAD';
        if (!who && isOpened) {
          res.redirect(303, `${signInPath}?to=${encodeURIComponent(req.originalUrl)}`);
        } else if (!who) {
          next(new AppError({ code: 'not_signed_in', status: 401, message: NOT_SIGNED_IN }));
        } else if (role === 'support' && who.user.role !== 'support') {
          logger.warn(logged(who.user), 'Refused: this wants another role');
          next(new AppError({ code: 'forbidden', status: 403, message: FORBIDDEN }));
        } else next();
      },
  };
}
