import type { Response } from 'express';
import { renderLinkDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import type { Assets } from '#server/page/assets.ts';
import { OPENINGS_WINDOW_S } from './own-page-limits.ts';
import type { NoActor } from './visits.ts';

/** Why somebody gets the page that offers a new link instead of hers. */
type LinkReason =
  | Exclude<NoActor, 'refused'>
  | 'closed'
  | 'no-cookie'
  | 'asked'
  | 'asked-too-often'
  | 'unconfirmed'
  | 'not-recorded'
  | 'other-open'
  | 'handed-over'
  | 'hand-over-gone'
  | 'hand-over-done';

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
export function linkPages({ office }: Pick<AppConfig, 'office'>, { ownPageStyle }: Assets): SendLinkPage {
  const render = (reason: LinkReason, closeToken?: string) =>
    renderLinkDocument({ reason, closeToken, office: contactOf(office), styles: [ownPageStyle] });
  const pages = {
    none: render('none'),
    'no-cookie': render('no-cookie'),
    invalid: render('invalid'),
    unconfirmed: render('unconfirmed'),
    asked: render('asked'),
    'asked-too-often': render('asked-too-often'),
    'too-many': render('too-many'),
    'not-recorded': render('not-recorded'),
    'other-open': render('other-open'),
    'handed-over': render('handed-over'),
    'hand-over-gone': render('hand-over-gone'),
    'hand-over-done': render('hand-over-done'),
    another: render('another'),
    closed: render('closed'),
  };
  return (res, reason, closeToken) => {
    if (STATUS[reason] === 429) res.set('Retry-After', String(OPENINGS_WINDOW_S));
    const page = closeToken === undefined ? pages[reason] : render(reason, closeToken);
    res.status(STATUS[reason]).type('html').send(page);
  };
}
