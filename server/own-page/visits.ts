import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import type { Database } from '#server/database/database.ts';
import {
  createSeal,
  findRegistration,
  hasOwnPage,
  keysFor,
  type Links,
  linksEndAt,
  type RegistrationRecord,
  type Scope,
  type Token,
} from '#server/registration/registration.ts';
import { cookieOf } from '#server/web/cookies.ts';
import type { Limiter } from '#server/web/limiter.ts';
import { isNews, type OwnPageNews } from '#shared/content/own-page-form-words.ts';
import { SESSION_DAYS } from '#shared/kept-for.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';

/** A visitor whose browser has a registration's page open. */
export interface Visit {
  record: RegistrationRecord;
  session: Session;
  mayAct: boolean;
}

type NoVisit = 'none' | 'invalid' | 'too-many';

/** Why a press is not carried out: `refused` where the browser may only look; `another` from another person's page. */
export type NoActor = NoVisit | 'refused' | 'another';

interface Dependencies {
  links: Links;
  sessions: Sessions;
  database: Database;
  limiter: Limiter;
}

export function createVisits({ links, sessions, database, limiter }: Dependencies) {
  const visitIn = async <No extends NoActor>(session: Session | No): Promise<Visit | No | NoVisit> => {
    if (typeof session === 'string') return session;
    const { subject, epoch, scope } = session.token;
    const refusal = await limiter.take(
      ['place-reads', session.text],
      ['place-reads-in-all', `${subject} ${epoch}`],
    );
    if (refusal) return 'too-many';
    const record = await findRegistration({ database }, subject);
    if (!record || !hasOwnPage(record) || record.linksEpoch !== epoch) return 'invalid';
    return { record, session, mayAct: scope === 'session' };
  };
  /** The session that a press comes from, by its cookie alone: its links may have been renewed. */
  const sessionOf = (req: Request, pressToken: string): Session | NoActor => {
    const session = sessions.read(req);
    if (typeof session === 'string') return session;
    const page = links.pageOf(pressToken);
    if (page !== undefined && page !== session.token.subject) return 'another';
    const isHers = session.token.scope === 'session' && links.isPressToken(pressToken, session.text);
    return isHers ? session : 'refused';
  };
  return {
    sessionOf,
    find: (req: Request) => visitIn(sessions.read(req)),
    findActor: (req: Request, pressToken: string) => visitIn(sessionOf(req, pressToken)),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a session lasts at most: a link in a letter opens a new one. */
const LONGEST_MS = {
  session: SESSION_DAYS * DAY_MS,
  view: 60 * 60 * 1000,
} as const satisfies Partial<Record<Scope, number>>;
type SessionScope = keyof typeof LONGEST_MS;

export interface Session {
  token: Token<SessionScope>;
  text: string;
}

type Sessions = ReturnType<typeof createSessions>;

/** The cookies that open her page. They contain the whole session: the server stores nothing. */
export function createSessions(links: Links, publicUrl: string, now: () => Date) {
  const cookie = cookieOf('place', publicUrl.startsWith('https:'));
  const read = (req: Request): Session | 'none' | 'invalid' => {
    const text = cookie.read(req);
    if (text === undefined) return 'none';
    const token = links.read(text, now(), 'session', 'view');
    return token ? { token, text } : 'invalid';
  };
  /** Sets the cookie, which is valid as long as its scope allows and never beyond `expiresAt`. */
  const open = (res: Response, { expiresAt, ...opened }: Omit<Token<SessionScope>, 'digest'>): void => {
    const maxAge = Math.min(LONGEST_MS[opened.scope], expiresAt.getTime() - now().getTime());
    const digest = randomBytes(8).toString('hex');
    const text = links.format({ ...opened, digest, expiresAt: new Date(now().getTime() + maxAge) });
    cookie.set(res, text, maxAge);
  };
  return {
    read,
    readActing(req: Request): Session | undefined {
      const session = read(req);
      return typeof session !== 'string' && session.token.scope === 'session' ? session : undefined;
    },
    open,
    openPage: (
      res: Response,
      { id: subject, linksEpoch: epoch, edition }: RegistrationRecord,
      scope: SessionScope,
    ) => open(res, { subject, epoch, scope, expiresAt: linksEndAt(edition.facts) }),
    close: cookie.clear,
  };
}

const WAITS_MS = 60 * 1000;

/**
 * The result of a press, shown once by the next page. It is in a cookie, because anybody could write a URL
 * that says it; and signed for the page that the browser has open, because another host of the domain can set cookies.
 */
export function createNews(
  { publicUrl, linkSecrets }: Pick<AppConfig, 'publicUrl' | 'linkSecrets'>,
  sessions: Sessions,
) {
  const cookie = cookieOf('place-news', publicUrl.startsWith('https:'), OWN_PAGE_PATH);
  const seal = createSeal(keysFor('news on a page of a registrant', linkSecrets));
  const openIn = (req: Request): string => {
    const session = sessions.read(req);
    return typeof session === 'string' ? '' : session.token.subject;
  };
  return {
    /** @param registration whose page shows it, if the browser did not have it open */
    tell(res: Response, news: OwnPageNews, registration = openIn(res.req)): void {
      cookie.set(res, seal.seal(news, `${registration} `), WAITS_MS);
    },
    /** Returns the news and removes it; undefined if there is none. */
    take(req: Request, res: Response): OwnPageNews | undefined {
      const text = cookie.read(req);
      if (text === undefined) return undefined;
      cookie.clear(res);
      const news = seal.open(text, `${openIn(req)} `) ?? '';
      return isNews(news) ? news : undefined;
    },
  };
}
