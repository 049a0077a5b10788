import { createHash } from 'node:crypto';
import type { Facts } from '#shared/content/edition.ts';
import { CONFIRM_DAYS } from '#shared/kept-for.ts';
import { ownPagePaths, PAGES_OPEN_DAYS, UNFINISHED_PATH } from '#shared/own-page.ts';
import { OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { createSeal } from './seal.ts';

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

export interface OwnPageToken {
  registration: string;
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

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the links of an edition's registrations expire. */
export function linksEndAt({ endsAt }: Pick<Facts, 'endsAt'>): Date {
  return new Date(Date.parse(endsAt) + PAGES_OPEN_DAYS * DAY_MS);
}

const CONFIRM_MS = CONFIRM_DAYS * DAY_MS;

export function confirmEndsAt({ at }: Pick<AskedAddress, 'at'>): Date {
  return new Date(at.getTime() + CONFIRM_MS);
}

/**
 * Identifies one request: after a later request, or for another address, a token with this digest confirms
 * nothing.
 */
export function confirmDigest({ to, at }: AskedAddress): string {
  return digestOf(`${at.toISOString()} ${to}`);
}

/** Identifies the address of a registration that is not paid. */
export function endDigest(email: string): string {
  return digestOf(`end ${email.toLowerCase()}`);
}

/** Identifies one handing over: after it was taken back, a token with this digest opens nothing. */
export function takeDigest({ email, at }: Pick<Offered, 'email' | 'at'>): string {
  return digestOf(`take ${at.toISOString()} ${email.toLowerCase()}`);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const PAGE_VERSION = 'v1';
/** Prefix of the signed text of press tokens, so that none can be used as a link token. */
const PRESS = 'press';
/** What a token says: registration, epoch, scope and expiry. */
const PAGE_SAID = /^v1\.(reg_\w{1,200})\.(\d{1,6})\.([a-z]+(?:-[\da-f]{16})?)\.(\d{1,12})$/;
/** The registration and the MAC. */
const PRESS_TOKEN = /^(reg_\w{1,200})\.([\w-]{43})$/;

type Said = Omit<OwnPageToken, 'scope'> & { scope: string };
type PageToken = Omit<OwnPageToken, 'scope'>;
type OfRegistration = Pick<OwnPageToken, 'registration' | 'epoch'>;

/** Makes and reads the tokens that open the page of one registration. They hold no name and no address. */
export type OwnPageLinks = ReturnType<typeof createOwnPageLinks>;

/**
 * Signed tokens: `v1.<registration>.<epoch>.<scope>.<expiry in seconds>.<MAC>`. A token that opens one page only, and not
 * hers, has a scope of its own, with a digest of what the page is about.
 * @param secrets the first one signs tokens, all of them are accepted: that is how a secret is rotated
 */
export function createOwnPageLinks(secrets: readonly string[], siteUrl: string) {
  const { macOf, isMac, seal, open } = createSeal(secrets);
  const format = ({ registration, epoch, scope: name, nonce, expiresAt }: Said): string => {
    const scope = nonce === undefined ? name : `${name}-${nonce}`;
    return seal([PAGE_VERSION, registration, epoch, scope, Math.floor(expiresAt.getTime() / 1000)].join('.'));
  };
  const readAny = (text: string, now: Date) => {
    const [, registration, epoch, scope = '', expiry] = PAGE_SAID.exec(open(text) ?? '') ?? [];
    if (!registration) return undefined;
    const expiresAt = new Date(Number(expiry) * 1000);
    const [name = '', digest = ''] = scope.split('-');
    return expiresAt > now
      ? { name, digest, token: { registration, epoch: Number(epoch), expiresAt } }
      : undefined;
  };
  /** Reads the tokens with a digest, which `read` does not accept, under the same conditions. */
  const readDigest = (text: string, now: Date, wanted: 'confirm' | 'end' | 'take') => {
    const said = readAny(text, now);
    return said?.name === wanted ? { ...said.token, digest: said.digest } : undefined;
  };
  const urlOf = (said: Said, path: string = ownPagePaths.enter): string =>
    new URL(`${path}${format(said)}`, siteUrl).href;
  return {
    format: (token: OwnPageToken): string => format(token),
    /**
     * The content of a token, if this site made it and it has not expired; that needs no lookup.
     * @param now the site's business date, not the machine's time: tests and the sandbox move it
     */
    read(text: string, now: Date): OwnPageToken | undefined {
      const said = readAny(text, now);
      const scope = linkScopes.find((one) => one === said?.name);
      return said && scope && { ...said.token, scope };
    },
    /** The URL that opens the page, for a letter to her: whoever has it can act for her. */
    url: (token: PageToken) => urlOf({ ...token, scope: 'place' }),
    /** The URL that only shows the page, for a user of the office. */
    lookUrl: (token: PageToken) => urlOf({ ...token, scope: 'look' }),
    /** The URL that confirms a new e-mail address, for the letter to that address. */
    confirmUrl: (token: OfRegistration, asked: AskedAddress) =>
      urlOf({ ...token, scope: `confirm-${confirmDigest(asked)}`, expiresAt: confirmEndsAt(asked) }),
    /** The content of a token made by `confirmUrl`; its digest is that of the request, see `confirmDigest`. */
    readConfirm: (text: string, now: Date) => readDigest(text, now, 'confirm'),
    /** The URL that ends a registration that is not paid, for letters to the address that it has. */
    endUrl: (token: PageToken, email: string) =>
      urlOf({ ...token, scope: `end-${endDigest(email)}` }, `${UNFINISHED_PATH}/`),
    /** The content of a token made by `endUrl`; its digest is that of the address, see `endDigest`. */
    readEnd: (text: string, now: Date) => readDigest(text, now, 'end'),
    /** The URL of the page on which a place is taken that is handed over, for the letter to who gets it. */
    takeUrl: (token: OfRegistration, offered: Offered) =>
      urlOf({ ...token, scope: `take-${takeDigest(offered)}`, expiresAt: offered.until }),
    /** The content of a token made by `takeUrl`; its digest is that of the handing over, see `takeDigest`. */
    readTake: (text: string, now: Date) => readDigest(text, now, 'take'),
    /** The token that each press on a page carries, so that no other site can press for her. */
    pressToken: (token: string) => `${token.split('.')[1]}.${macOf(`${PRESS} ${token}`)}`,
    isPressToken: (given: string, token: string) =>
      isMac(PRESS_TOKEN.exec(given)?.[2] ?? '', `${PRESS} ${token}`),
    /** Which registration's page a press token says that it is from; undefined for what is none. */
    pageOf: (pressToken: string): string | undefined => PRESS_TOKEN.exec(pressToken)?.[1],
  };
}

/** What the bearer of a token may do. */
export const waitingScopes = [
  /** In the first letter: confirms that she wants to wait. */
  'confirm',
  /** In letters: takes an entry off the waiting list. */
  'waiting',
  /** In the letter of an offer: leads to the stepper, which the offer opens. */
  'offer',
  /** In the cookie of a browser that opened an offer: registers with that offer. */
  'taking',
] as const;
export type WaitingScope = (typeof waitingScopes)[number];

export interface WaitingToken {
  /** The entry of the waiting list. */
  waitingId: string;
  scope: WaitingScope;
  /**
   * For an offer, the moment until which it is valid, to the second: an offer with another end is another
   * offer.
   */
  expiresAt: Date;
}

type Unscoped = Omit<WaitingToken, 'scope'>;

/** Not the version of the tokens of a registrant's page: neither kind can be used as the other. */
const WAITING_VERSION = 'w1';
/** What a token says: entry, scope and expiry. */
const WAITING_SAID = /^w1\.(waiting_\w{1,200})\.([a-z]+)\.(\d{1,12})$/;

/** Makes and reads the tokens of the waiting list. They hold no name and no address, and open no registrant's page. */
export type WaitingLinks = ReturnType<typeof createWaitingLinks>;

/**
 * Signed tokens: `w1.<entry>.<scope>.<expiry in seconds>.<MAC>`.
 * @param secrets the first one signs tokens, all of them are accepted: that is how a secret is rotated
 */
export function createWaitingLinks(secrets: readonly string[], siteUrl: string) {
  const { seal, open } = createSeal(secrets);
  const format = ({ waitingId, scope, expiresAt }: WaitingToken): string =>
    seal([WAITING_VERSION, waitingId, scope, Math.floor(expiresAt.getTime() / 1000)].join('.'));
  /** The same as `read` for a token that may have expired: a person who comes too late is told so. */
  const readExpired = (text: string, scope: WaitingScope): WaitingToken | undefined => {
    const [, waitingId, said, expiry] = WAITING_SAID.exec(open(text) ?? '') ?? [];
    if (!waitingId || said !== scope) return undefined;
    return { waitingId, scope, expiresAt: new Date(Number(expiry) * 1000) };
  };
  const urlOf = (path: string, token: WaitingToken): string =>
    new URL(`${path}/${format(token)}`, siteUrl).href;
  return {
    format,
    readExpired,
    /**
     * The content of a token of a scope, if this site made it and it has not expired by the site's business
     * date.
     */
    read(text: string, scope: WaitingScope, now: Date): WaitingToken | undefined {
      const token = readExpired(text, scope);
      return token && token.expiresAt > now ? token : undefined;
    },
    /** The URL that confirms that a person wants to wait, for a letter. */
    confirmUrl: (token: Unscoped) => urlOf(WAITING_PATH, { ...token, scope: 'confirm' }),
    /** The URL that takes a person off the list, for a letter. */
    leaveUrl: (token: Unscoped) => urlOf(WAITING_PATH, { ...token, scope: 'waiting' }),
    /** The URL that accepts an offer, for the letter of the offer. */
    offerUrl: (token: Unscoped) => urlOf(OFFER_PATH, { ...token, scope: 'offer' }),
  };
}

/**
 * The path of the office's pages, on the ops listener. A proxy publishes the paths that begin with it, and no
 * others.
 */
export const OFFICE_PATH = '/office';

/** The office's page of a registration. */
export function officeRegistrationPath(id: string): string {
  return `${OFFICE_PATH}/registrations/${id}`;
}

/** The page of what is announced to everyone. */
export const officeLettersPath = `${OFFICE_PATH}/letters`;

/** The page of the waiting list. */
export const officeWaitingPath = `${OFFICE_PATH}/waiting`;
