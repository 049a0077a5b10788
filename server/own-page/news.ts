import type { Request, Response } from 'express';
import { cookieOf } from '#server/http/cookies.ts';
import { newsWords, type OwnPageNews } from '#shared/content/own-page-form-words.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';

const NAME = 'place-news';

/** How long news is kept until a page shows it. */
const WAITS_MS = 60 * 1000;
/** Longer while she pays, because of 3-D Secure. Her page shows it only if everything is paid. */
const WAITS_WHILE_PAYING_MS = 30 * 60 * 1000;

export type News = ReturnType<typeof createNews>;

/**
 * The result of a press, shown once by the next page. It is in a cookie, because anybody could write a URL
 * that says it.
 */
export function createNews(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  const attributes = { httpOnly: true, sameSite: 'lax', secure, path: OWN_PAGE_PATH } as const;
  return {
    tell(res: Response, news: OwnPageNews): void {
      const maxAge = news === 'paid' ? WAITS_WHILE_PAYING_MS : WAITS_MS;
      res.cookie(NAME, news, { ...attributes, maxAge });
    },
    /** Returns the news and removes it; undefined if there is none. */
    take(req: Request, res: Response): OwnPageNews | undefined {
      const text = cookieOf(req, NAME);
      if (text === undefined) return undefined;
      res.clearCookie(NAME, attributes);
      return isNews(text) ? text : undefined;
    },
  };
}

const isNews = (text: string): text is OwnPageNews => Object.hasOwn(newsWords, text);
