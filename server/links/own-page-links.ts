import { createHash } from 'node:crypto';
import type { Facts } from '#shared/content/edition.ts';
import { ownPagePaths, PAGES_OPEN_DAYS, UNFINISHED_PATH } from '#shared/own-page.ts';
import { isMacOf, macOf } from './mac.ts';

/** What the bearer of a token may do. */
const linkScopes = [
  /** In letters: opens the registrant's page. */
  'place',
  /** In the cookie of a browser that opened a link: sees her page, and acts on it. */
  'session',
  /** In the cookie of the browser that has just paid: only sees it. */
  'view',
  /** Shown to a user of the office: opens her page, which is then only seen. */
  'look',
  /** In the cookie of a browser that opened such a link: only sees her page, which says so. */
  'office',
] as const;
export type LinkScope = (typeof linkScopes)[number];

/** The content of a token. */
export interface OwnPageToken {
  /** The registration, by the payment of its deposit. */
  deposit: string;
  /**
   * How often the links of the registration had been renewed when the token was made: tokens with an earlier
   * number open nothing.
   */
  epoch: number;
  scope: LinkScope;
  /** Sixteen hexadecimal digits that distinguish a session from all others; not read again. */
  nonce?: string;
  expiresAt: Date;
}

/**
 * The content of the token in a letter that asks to confirm an address. It opens only the page that confirms
 * the address.
 */
export interface ConfirmToken extends Omit<OwnPageToken, 'scope'> {
  /** The request that it confirms, see `confirmDigest`. */
  confirms: string;
}

/** The content of the token in a letter to somebody who has not paid. It opens only the page that ends her registration. */
export interface EndToken extends Omit<OwnPageToken, 'scope'> {
  /** The address to which the letter went, see `endDigest`: a registration that has another one now is not ended. */
  address: string;
}

/**
 * The content of the token in a letter to somebody to whom a place is to be handed over. It opens only the page on which
 * she takes it.
 */
export interface TakeToken extends Omit<OwnPageToken, 'scope'> {
  /** The handing over that it ends, see `takeDigest`. */
  takes: string;
}

/** To whose address a place is to be handed over, when that was decided, and until when it can be done. */
export interface Offered {
  email: string;
  at: Date;
  until: Date;
}

/** A new address that the registrant asked for, and when. */
export interface AskedAddress {
  to: string;
  at: Date;
}

/** Makes and reads the tokens that open the page of one registration. They hold no name and no address. */
export interface OwnPageLinks {
  format(token: OwnPageToken): string;
  /**
   * The content of a token, if this site made it and it has not expired; that needs no lookup.
   * @param now the site's business date, not the machine's time: tests and the sandbox move it
   */
  read(text: string, now: Date): OwnPageToken | undefined;
  /** The URL that opens the page, for a letter to her: whoever has it can act for her. */
  url(token: Omit<OwnPageToken, 'scope'>): string;
  /** The URL that only shows the page, for a user of the office. */
  lookUrl(token: Omit<OwnPageToken, 'scope'>): string;
  /** The URL that confirms a new e-mail address, for the letter to that address. */
  confirmUrl(token: Pick<OwnPageToken, 'deposit' | 'epoch'>, asked: AskedAddress): string;
  /**
   * The content of a token made by `confirmUrl`, under the same conditions as `read`, which accepts no such
   * token.
   */
  readConfirm(text: string, now: Date): ConfirmToken | undefined;
  /** The URL that ends a registration that is not paid, for letters to the address that it has. */
  endUrl(token: Omit<OwnPageToken, 'scope'>, email: string): string;
  /** The content of a token made by `endUrl`, under the same conditions as `read`, which accepts no such token. */
  readEnd(text: string, now: Date): EndToken | undefined;
  /** The URL of the page on which a place is taken that is handed over, for the letter to who gets it. */
  takeUrl(token: Pick<OwnPageToken, 'deposit' | 'epoch'>, offered: Offered): string;
  /** The content of a token made by `takeUrl`, under the same conditions as `read`, which accepts no such token. */
  readTake(text: string, now: Date): TakeToken | undefined;
  /** The token that each press on a page carries, so that no other site can press for her. */
  pressToken(token: string): string;
  isPressToken(given: string, token: string): boolean;
  /** Which registration's page a press token says that it is from, by the deposit; undefined for what is none. */
  pageOf(pressToken: string): string | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the links of an edition's registrations expire. */
export function linksEndAt({ endsAt }: Pick<Facts, 'endsAt'>): Date {
  return new Date(Date.parse(endsAt) + PAGES_OPEN_DAYS * DAY_MS);
}

/** How long a new address can be confirmed. */
const CONFIRM_MS = 3 * DAY_MS;

/** Until when a new address can be confirmed. */
export function confirmEndsAt({ at }: Pick<AskedAddress, 'at'>): Date {
  return new Date(at.getTime() + CONFIRM_MS);
}

/**
 * Identifies one request: after a later request, or for another address, a token with this digest confirms
 * nothing.
 */
export function confirmDigest({ to, at }: AskedAddress): string {
  return createHash('sha256').update(`${at.toISOString()} ${to}`).digest('hex').slice(0, 16);
}

/** Identifies the address of a registration that is not paid. */
export function endDigest(email: string): string {
  return createHash('sha256').update(`end ${email.toLowerCase()}`).digest('hex').slice(0, 16);
}

/** Identifies one handing over: after it was taken back, a token with this digest opens nothing. */
export function takeDigest({ email, at }: Pick<Offered, 'email' | 'at'>): string {
  return createHash('sha256')
    .update(`take ${at.toISOString()} ${email.toLowerCase()}`)
    .digest('hex')
    .slice(0, 16);
}

const VERSION = 'v1';
/** Prefix of the signed text of press tokens, so that none can be used as a link token. */
const PRESS = 'press';
const TOKEN = /^v1\.(pi_\w{1,200})\.(\d{1,6})\.([a-z]+(?:-[\da-f]{16})?)\.(\d{1,12})\.([\w-]{43})$/;
/** The deposit, which her page shows too, and the MAC. */
const PRESS_TOKEN = /^(pi_\w{1,200})\.([\w-]{43})$/;
/** The scope of a token that confirms an address; a digest follows. */
const CONFIRM = 'confirm-';
/** The same of a token that ends a registration that is not paid. */
const END = 'end-';

/** The same of a token with which a place is taken that is handed over. */
const TAKE = 'take-';

/** The content of a token of any scope. */
type Said = Omit<OwnPageToken, 'scope'> & { scope: string };

/**
 * Signed tokens: `v1.<deposit>.<epoch>.<scope>.<expiry in seconds>.<MAC>`. In a token that confirms an
 * address, the scope contains the digest of the request.
 * @param secrets the first one signs tokens, all of them are accepted: that is how a secret is rotated
 */
export function createOwnPageLinks(secrets: readonly string[], siteUrl: string): OwnPageLinks {
  const [first = ''] = secrets;
  const format = ({ deposit, epoch, scope: name, nonce, expiresAt }: Said): string => {
    const scope = nonce === undefined ? name : `${name}-${nonce}`;
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
  const urlOf = (said: Said, path: string = ownPagePaths.enter): string =>
    new URL(`${path}${format(said)}`, siteUrl).href;
  return {
    format,
    read(text, now) {
      const said = readAny(text, now);
      const [name] = said?.scope.split('-') ?? [];
      const scope = linkScopes.find((one) => one === name);
      return said && scope && { ...said, scope };
    },
    url: (token) => urlOf({ ...token, scope: 'place' }),
    lookUrl: (token) => urlOf({ ...token, scope: 'look' }),
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
    endUrl: (token, email) => urlOf({ ...token, scope: `${END}${endDigest(email)}` }, `${UNFINISHED_PATH}/`),
    readEnd(text, now) {
      const said = readAny(text, now);
      if (!said?.scope.startsWith(END)) return undefined;
      const { scope, ...rest } = said;
      return { ...rest, address: scope.slice(END.length) };
    },
    takeUrl({ deposit, epoch }, offered) {
      const scope = `${TAKE}${takeDigest(offered)}`;
      return urlOf({ deposit, epoch, scope, expiresAt: offered.until });
    },
    readTake(text, now) {
      const said = readAny(text, now);
      if (!said?.scope.startsWith(TAKE)) return undefined;
      const { scope, ...rest } = said;
      return { ...rest, takes: scope.slice(TAKE.length) };
    },
    pressToken: (token) => `${TOKEN.exec(token)?.[1]}.${macOf(`${PRESS} ${token}`, first)}`,
    isPressToken: (given, token) => isMacOf(PRESS_TOKEN.exec(given)?.[2] ?? '', `${PRESS} ${token}`, secrets),
    pageOf: (pressToken) => PRESS_TOKEN.exec(pressToken)?.[1],
  };
}
