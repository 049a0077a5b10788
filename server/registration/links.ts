import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Facts } from '#shared/content/edition.ts';
import { CONFIRM_DAYS } from '#shared/kept-for.ts';
import { ownPagePaths, PAGES_OPEN_DAYS, UNFINISHED_PATH } from '#shared/own-page.ts';
import { OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';

const PATHS = {
  /** In letters: opens the registrant's page. Whoever has it can act for her. */
  place: ownPagePaths.enter,
  /** In the letter to a new address: confirms it. */
  confirm: ownPagePaths.enter,
  /** In the letter to somebody to whom a place is handed over: shows the page on which she takes it. */
  take: ownPagePaths.enter,
  end: `${UNFINISHED_PATH}/`,
  wait: `${WAITING_PATH}/`,
  leave: `${WAITING_PATH}/`,
  offer: `${OFFER_PATH}/`,
} as const;
type LinkScope = keyof typeof PATHS;

/** What the bearer of a token may do: beside what links do, in cookies. */
export type Scope =
  | LinkScope
  | 'session'
  /** A browser that has just paid: only sees it. */
  | 'view'
  /** A browser that opened the link to a place that is handed over: shows the page on which she takes it. */
  | 'taker';

export interface Token<Of extends Scope = Scope> {
  scope: Of;
  subject: string;
  /** How often the links had been renewed when it was made: earlier tokens open nothing. */
  epoch: number;
  /** Sixteen hexadecimal digits: what a link is about, see `linkDigest`, or which session it is; '' for others. */
  digest: string;
  /** To the second. An offer with another end is another offer. */
  expiresAt: Date;
}

type NewToken = Pick<Token, 'subject' | 'expiresAt'> & Partial<Pick<Token, 'epoch' | 'digest'>>;

const DAY_MS = 24 * 60 * 60 * 1000;

export function linksEndAt({ endsAt }: Pick<Facts, 'endsAt'>): Date {
  return new Date(Date.parse(endsAt) + PAGES_OPEN_DAYS * DAY_MS);
}

export function confirmEndsAt({ at }: { at: Date }): Date {
  return new Date(at.getTime() + CONFIRM_DAYS * DAY_MS);
}

/** Of the address that a link is about, and when it was asked for: a later request makes another digest. */
export function linkDigest(address: string, at?: Date): string {
  const text = `${at?.toISOString() ?? ''} ${address.toLowerCase()}`;
  return sha256Of(text).slice(0, 16);
}

const TOKEN = /^v1\.((?:reg|waiting)_\w{1,200})\.(\d{1,6})\.([a-z]+)(?:-([\da-f]{16}))?\.(\d{1,12})$/;
/** Prefix of the signed text of press tokens, so that none can be used as a link token. */
const PRESS = 'press';
const PRESS_TOKEN = /^(reg_\w{1,200})\.([\w-]{43})$/;

export type Links = ReturnType<typeof createLinks>;

/** `v1.<subject>.<epoch>.<scope>.<expiry in seconds>.<MAC>`; the first secret signs, all are accepted. */
export function createLinks(secrets: readonly string[], siteUrl: string) {
  const { macOf, isMac, seal, open } = createSeal(secrets);
  const format = ({ scope, subject, epoch = 0, digest = '', expiresAt }: NewToken & { scope: Scope }) => {
    const what = digest === '' ? scope : `${scope}-${digest}`;
    return seal(['v1', subject, epoch, what, Math.floor(expiresAt.getTime() / 1000)].join('.'));
  };
  return {
    format,
    url: (scope: LinkScope, token: NewToken): string =>
      new URL(`${PATHS[scope]}${format({ ...token, scope })}`, siteUrl).href,
    /** @param now the site's business date, which tests and the sandbox move */
    read<Of extends Scope>(text: string, now: Date, ...scopes: Of[]): Token<Of> | undefined {
      const [, subject, epoch, said, digest = '', expiry] = TOKEN.exec(open(text) ?? '') ?? [];
      const scope = scopes.find((one) => one === said);
      const expiresAt = new Date(Number(expiry) * 1000);
      if (!subject || !scope || expiresAt <= now) return undefined;
      return { scope, subject, epoch: Number(epoch), digest, expiresAt };
    },
    /** The token that each press on a page carries, so that no other site can press for her. */
    pressToken: (token: string) => `${token.split('.')[1]}.${macOf(`${PRESS} ${token}`)}`,
    isPressToken: (given: string, token: string) =>
      isMac(PRESS_TOKEN.exec(given)?.[2] ?? '', `${PRESS} ${token}`),
    /** Which registration's page a press token says that it is from; undefined for what is none. */
    pageOf: (pressToken: string): string | undefined => PRESS_TOKEN.exec(pressToken)?.[1],
  };
}

type Key = string | Buffer;

/** @param keys the first one signs, all of them are accepted: that is how a secret is rotated */
export function createSeal(keys: readonly Key[]) {
  const [first = ''] = keys;
  const mac = (text: string, key: Key): string => createHmac('sha256', key).update(text).digest('base64url');
  const macOf = (text: string): string => mac(text, first);
  const isMac = (given: string, text: string): boolean => keys.some((key) => isSame(mac(text, key), given));
  return {
    macOf,
    isMac,
    /** A token: the text, a dot, and the MAC of both the text and a context that the token does not contain. */
    seal: (text: string, context = ''): string => `${text}.${macOf(context + text)}`,
    /** The text of a token that was sealed in the same context; undefined for what is no such token. */
    open(token: string, context = ''): string | undefined {
      const end = token.lastIndexOf('.');
      const text = token.slice(0, end);
      return end > 0 && isMac(token.slice(end + 1), context + text) ? text : undefined;
    },
  };
}

/** Keys for one purpose, from secrets that also serve others. */
export function keysFor(purpose: string, secrets: readonly string[]): Buffer[] {
  return secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
}

/** Compares in constant time, so that the duration reveals nothing but the lengths. */
export function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const SHORT = 8;

export function shortDigest(text: string): string {
  return sha256Of(text).slice(0, SHORT);
}

/** The same of an e-mail address, in whichever case it is written. */
export function addressDigest(email: string): string {
  return shortDigest(email.toLowerCase());
}
