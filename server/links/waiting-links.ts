import { OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { createSeal } from './seal.ts';

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

/** The content of a token. */
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
const VERSION = 'w1';
/** What a token says: entry, scope and expiry. */
const SAID = /^w1\.(waiting_\w{1,200})\.([a-z]+)\.(\d{1,12})$/;

/** Makes and reads the tokens of the waiting list. They hold no name and no address, and open no registrant's page. */
export type WaitingLinks = ReturnType<typeof createWaitingLinks>;

/**
 * Signed tokens: `w1.<entry>.<scope>.<expiry in seconds>.<MAC>`.
 * @param secrets the first one signs tokens, all of them are accepted: that is how a secret is rotated
 */
export function createWaitingLinks(secrets: readonly string[], siteUrl: string) {
  const { seal, open } = createSeal(secrets);
  const format = ({ waitingId, scope, expiresAt }: WaitingToken): string =>
    seal([VERSION, waitingId, scope, Math.floor(expiresAt.getTime() / 1000)].join('.'));
  /** The same as `read` for a token that may have expired: a person who comes too late is told so. */
  const readExpired = (text: string, scope: WaitingScope): WaitingToken | undefined => {
    const [, waitingId, said, expiry] = SAID.exec(open(text) ?? '') ?? [];
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
