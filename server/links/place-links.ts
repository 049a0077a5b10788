import { createHash } from 'node:crypto';
import type { Facts } from '#shared/content/edition.ts';
import { placePaths } from '#shared/place.ts';
import { isMacOf, macOf } from './mac.ts';

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

/** What the token of a letter says that asks to confirm an address. It opens no page but the one that asks so. */
export interface ConfirmToken extends Omit<PlaceToken, 'scope'> {
  /** Which request it confirms, see `confirmDigest`. */
  confirms: string;
}

/** An address that she asked for, and when. */
export interface AskedAddress {
  to: string;
  at: Date;
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
  /** The address under which an address is confirmed, for the letter to it. */
  confirmUrl(token: Pick<PlaceToken, 'deposit' | 'epoch'>, asked: AskedAddress): string;
  /** What the token of such a letter says, under the same conditions as `read`, which knows none of them. */
  readConfirm(text: string, now: Date): ConfirmToken | undefined;
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

/** For so long an address that she asked for can be confirmed. */
const CONFIRM_MS = 3 * DAY_MS;

/** Until when an address that she asked for can be confirmed. */
export function confirmEndsAt({ at }: Pick<AskedAddress, 'at'>): Date {
  return new Date(at.getTime() + CONFIRM_MS);
}

/** Names one request: after another one, or for another address, a token with it confirms nothing. */
export function confirmDigest({ to, at }: AskedAddress): string {
  return createHash('sha256').update(`${at.toISOString()} ${to}`).digest('hex').slice(0, 16);
}

const VERSION = 'v1';
/** Before what is pressed, so that it is never taken for a token. */
const PRESS = 'press';
const TOKEN = /^v1\.(pi_\w{1,200})\.(\d{1,6})\.([a-z]+(?:-[\da-f]{16})?)\.(\d{1,12})\.([\w-]{43})$/;
/** The scope of a letter that asks to confirm an address; a digest follows. */
const CONFIRM = 'confirm-';

/** What stands in a token, whatever its scope. */
type Said = Omit<PlaceToken, 'scope'> & { scope: string };

/**
 * Tokens under a secret: `v1.<deposit>.<epoch>.<scope>.<expiry in seconds>.<MAC>`. To confirm an address the scope names it
 * by a digest.
 * @param secrets the first one makes tokens, all of them open: that is how a secret is rotated
 */
export function createPlaceLinks(secrets: readonly string[], siteUrl: string): PlaceLinks {
  const [first = ''] = secrets;
  const format = ({ deposit, epoch, scope, expiresAt }: Said): string => {
    const said = [VERSION, deposit, epoch, scope, Math.floor(expiresAt.getTime() / 1000)].join('.');
    return `${said}.${macOf(said, first)}`;
  };
  const readAny = (text: string, now: Date): Said | undefined => {
    const [, deposit, epoch, scope, expiry, mac] = TOKEN.exec(text) ?? [];
    if (!deposit || !scope || !mac) return undefined;
    const said = text.slice(0, text.lastIndexOf('.'));
    if (!isMacOf(mac, said, secrets)) return undefined;
    const expiresAt = new Date(Number(expiry) * 1000);
    return expiresAt > now ? { deposit, epoch: Number(epoch), scope, expiresAt } : undefined;
  };
  const urlOf = (said: Said): string => new URL(`${placePaths.enter}${format(said)}`, siteUrl).href;
  return {
    format,
    read(text, now) {
      const said = readAny(text, now);
      const scope = linkScopes.find((one) => one === said?.scope);
      return said && scope && { ...said, scope };
    },
    url: (token) => urlOf({ ...token, scope: 'place' }),
    confirmUrl({ deposit, epoch }, asked) {
      const scope = `${CONFIRM}${confirmDigest(asked)}`;
      return urlOf({ deposit, epoch, scope, expiresAt: confirmEndsAt(asked) });
    },
    readConfirm(text, now) {
      const said = readAny(text, now);
      if (!said?.scope.startsWith(CONFIRM)) return undefined;
      const { scope, ...rest } = said;
      return { ...rest, confirms: scope.slice(CONFIRM.length) };
    },
    pressToken: (token) => macOf(`${PRESS} ${token}`, first),
    isPressToken: (given, token) => isMacOf(given, `${PRESS} ${token}`, secrets),
  };
}
