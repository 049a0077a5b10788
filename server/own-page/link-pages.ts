import type { Response } from 'express';
import { type PageProps, renderLinkDocument } from '#client/entry.server.tsx';
import type { LinkReason } from '#shared/content/own-page-words.ts';
import { OPENINGS_WINDOW_S } from './own-page-limits.ts';

/** The status is the same whatever is wrong with a link or cookie. */
const STATUS: Readonly<Record<LinkReason, number>> = {
  none: 200,
  'no-cookie': 403,
  invalid: 403,
  unconfirmed: 403,
  asked: 200,
  'asked-too-often': 429,
  'too-many': 429,
  'not-recorded': 503,
  'other-open': 409,
  'handed-over': 409,
  'hand-over-gone': 403,
  'hand-over-done': 200,
  another: 409,
  closed: 200,
};

/**
 * Answers with the page that offers a new link.
 * @param closeToken the press token of a session with which she can close her page everywhere
 */
export type SendLinkPage = (res: Response, reason: LinkReason, closeToken?: string) => void;

/** Renders these pages once, since they never change but for a token. */
export function linkPages(shown: PageProps): SendLinkPage {
  const render = (reason: LinkReason, closeToken?: string) =>
    renderLinkDocument({ ...shown, reason, closeToken });
  const pages = new Map<LinkReason, string>();
  return (res, reason, closeToken) => {
    if (STATUS[reason] === 429) res.set('Retry-After', String(OPENINGS_WINDOW_S));
    const page = (closeToken === undefined && pages.get(reason)) || render(reason, closeToken);
    if (closeToken === undefined) pages.set(reason, page);
    res.status(STATUS[reason]).type('html').send(page);
  };
}
