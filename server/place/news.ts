import type { Request, Response } from 'express';
import * as v from 'valibot';
import { cookieOf } from '#server/http/cookie-of.ts';
import { PLACE_PATH, type PlaceNews, placeNews } from '#shared/place.ts';

const NAME = 'place-news';

/** How long it waits to be told. */
const WAITS_MS = 60 * 1000;
/** While she pays: 3-D Secure takes its time. Her page tells it only where everything is paid. */
const WAITS_WHILE_PAYING_MS = 30 * 60 * 1000;

/**
 * What a press came to, told once by the next page. It is in a cookie, since anybody can write an address.
 */
export interface News {
  tell(res: Response, news: PlaceNews): void;
  /** Takes what is to be told; undefined without news. */
  take(req: Request, res: Response): PlaceNews | undefined;
}

export function createNews(publicUrl: string): News {
  const secure = publicUrl.startsWith('https:');
  const attributes = { httpOnly: true, sameSite: 'lax', secure, path: PLACE_PATH } as const;
  return {
    tell(res, news) {
      const maxAge = news === 'paid' ? WAITS_WHILE_PAYING_MS : WAITS_MS;
      res.cookie(NAME, news, { ...attributes, maxAge });
    },
    take(req, res) {
      const text = cookieOf(req, NAME);
      if (text === undefined) return undefined;
      res.clearCookie(NAME, attributes);
      const read = v.safeParse(v.picklist(placeNews), text);
      return read.success ? read.output : undefined;
    },
  };
}
