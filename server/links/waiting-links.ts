import { OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { isMacOf, macOf } from './mac.ts';

/** What the bearer of a token may do. */
export const waitingScopes = [
  /** In letters: takes an entry off the waiting list. */
  'waiting',
  /** In the letter of an offer: leads to the stepper that is open for it. */
  'offer',
  /** In the cookie of a browser that opened an offer: registers by it. */
  'taking',
] as const;
export type WaitingScope = (typeof waitingScopes)[number];

/** What a token says. */
export interface WaitingToken {
  /** The entry, by its customer. */
  waitingId: string;
  scope: WaitingScope;
  /** Of an offer the moment until which it stands, to the second: an offer with another end is another one. */
  expiresAt: Date;
}

/** Makes and reads the tokens of the waiting list. They hold no name and no address, and open no registrant's page. */
export interface WaitingLinks {
  format(token: WaitingToken): string;
  /** What a token of a scope says, if this site made it and it has not expired by the site's date. */
  read(text: string, scope: WaitingScope, now: Date): WaitingToken | undefined;
  /** The same of one that may have expired: who comes too late is told so. */
  readExpired(text: string, scope: WaitingScope): WaitingToken | undefined;
  /** The address under which she takes herself off the list, for a letter. */
  leaveUrl(token: Omit<WaitingToken, 'scope'>): string;
  /** The address that takes up an offer, for its letter. */
  offerUrl(token: Omit<WaitingToken, 'scope'>): string;
}

/** Not that of tokens of her page: neither is ever taken for the other. */
const VERSION = 'w1';
const TOKEN = /^w1\.(cus_\w{1,200})\.([a-z]+)\.(\d{1,12})\.([\w-]{43})$/;

/**
 * Tokens under a secret: `w1.<customer>.<scope>.<expiry in seconds>.<MAC>`.
 * @param secrets the first one makes tokens, all of them open: that is how a secret is rotated
 */
export function createWaitingLinks(secrets: readonly string[], siteUrl: string): WaitingLinks {
  const [first = ''] = secrets;
  const format = ({ waitingId, scope, expiresAt }: WaitingToken): string => {
    const said = [VERSION, waitingId, scope, Math.floor(expiresAt.getTime() / 1000)].join('.');
    return `${said}.${macOf(said, first)}`;
  };
  const readExpired: WaitingLinks['readExpired'] = (text, scope) => {
    const [, waitingId, said, expiry, mac] = TOKEN.exec(text) ?? [];
    if (!waitingId || said !== scope || !mac) return undefined;
    if (!isMacOf(mac, text.slice(0, text.lastIndexOf('.')), secrets)) return undefined;
    return { waitingId, scope, expiresAt: new Date(Number(expiry) * 1000) };
  };
  const urlOf = (path: string, token: WaitingToken): string =>
    new URL(`${path}/${format(token)}`, siteUrl).href;
  return {
    format,
    readExpired,
    read(text, scope, now) {
      const token = readExpired(text, scope);
      return token && token.expiresAt > now ? token : undefined;
    },
    leaveUrl: (token) => urlOf(WAITING_PATH, { ...token, scope: 'waiting' }),
    offerUrl: (token) => urlOf(OFFER_PATH, { ...token, scope: 'offer' }),
  };
}
