import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Facts } from '#shared/content/edition.ts';
import { placePaths } from '#shared/place.ts';

/** What the bearer of a token may do. */
export const linkScopes = [
  /** In letters: opens her page. */
  'place',
  /** In the cookie of a browser that opened a link: sees her page, and acts on it. */
  'session',
  /** In the cookie of the browser that has just paid: only sees it. */
  'view',
] as const;
export type LinkScope = (typeof linkScopes)[number];

/** What a token says. */
export interface PlaceToken {
  /** The registration, by its deposit's payment. */
  deposit: string;
  /** How often the links of the registration had been renewed: tokens with an earlier number open nothing. */
  epoch: number;
  scope: LinkScope;
  expiresAt: Date;
}

/** Makes and reads the tokens that open the page of one registration. They hold no name and no address. */
export interface PlaceLinks {
  format(token: PlaceToken): string;
  /**
   * What a token says, if this site made it and it has not expired; nothing is looked up for that.
   * @param now the machine's time is not asked: tests and the sandbox move the site's own date
   */
  read(text: string, now: Date): PlaceToken | undefined;
  /** The address that opens the page, for a letter. */
  url(token: Omit<PlaceToken, 'scope'>): string;
  /** What goes with each press on a page that was opened by a token, so that no other site can press for her. */
  pressToken(token: string): string;
  isPressToken(given: string, token: string): boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** For so long after an edition its links open her page; the privacy text says so. */
const OPEN_AFTER_MS = 30 * DAY_MS;

/** When the links of an edition's registrations expire. */
export function linksEndAt({ endsAt }: Pick<Facts, 'endsAt'>): Date {
  return new Date(Date.parse(endsAt) + OPEN_AFTER_MS);
}

const VERSION = 'v1';
/** Before what is pressed, so that it is never taken for a token. */
const PRESS = 'press';
const TOKEN = /^v1\.(pi_\w{1,200})\.(\d{1,6})\.([a-z]+)\.(\d{1,12})\.([\w-]{43})$/;

/**
 * Tokens under a secret: `v1.<deposit>.<epoch>.<scope>.<expiry in seconds>.<MAC>`.
 * @param secrets the first one makes tokens, all of them open: that is how a secret is rotated
 */
export function createPlaceLinks(secrets: readonly string[], siteUrl: string): PlaceLinks {
  const [first = ''] = secrets;
  const format = ({ deposit, epoch, scope, expiresAt }: PlaceToken): string => {
    const said = [VERSION, deposit, epoch, scope, Math.floor(expiresAt.getTime() / 1000)].join('.');
    return `${said}.${macOf(said, first)}`;
  };
  return {
    format,
    read(text, now) {
      const [, deposit, epoch, scope, expiry, mac] = TOKEN.exec(text) ?? [];
      if (!deposit || !mac) return undefined;
      const said = text.slice(0, text.lastIndexOf('.'));
      if (!secrets.some((secret) => isSame(macOf(said, secret), mac))) return undefined;
      const known = linkScopes.find((one) => one === scope);
      const expiresAt = new Date(Number(expiry) * 1000);
      if (!known || expiresAt <= now) return undefined;
      return { deposit, epoch: Number(epoch), scope: known, expiresAt };
    },
    url: (token) => new URL(`${placePaths.enter}${format({ ...token, scope: 'place' })}`, siteUrl).href,
    pressToken: (token) => macOf(`${PRESS} ${token}`, first),
    isPressToken: (given, token) =>
      secrets.some((secret) => isSame(macOf(`${PRESS} ${token}`, secret), given)),
  };
}

function macOf(said: string, secret: string): string {
  return createHmac('sha256', secret).update(said).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
