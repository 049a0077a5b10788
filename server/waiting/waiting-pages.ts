import type { Response } from 'express';
import { renderWaitingDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import type { Assets } from '#server/page/assets.ts';
import { type WaitingPress, type WaitingReason, waitingPresses } from '#shared/content/waiting-words.ts';

const STATUS: Readonly<Record<WaitingReason, number>> = {
  confirm: 200,
  confirmed: 200,
  leave: 200,
  left: 200,
  took: 200,
  end: 200,
  ended: 200,
  'end-paid': 409,
  replace: 200,
  invalid: 403,
  'no-cookie': 403,
  'offer-used': 410,
  'offer-over': 410,
};

/** Answers with a page of the waiting list; those of `waitingPresses` have a button that posts to a path. */
export type SendWaitingPage = (res: Response, reason: WaitingReason, path?: string) => void;

export function waitingPages(
  { office }: Pick<AppConfig, 'office'>,
  { ownPageStyle }: Assets,
): SendWaitingPage {
  const shown = { office: contactOf(office), styles: [ownPageStyle] };
  return (res, reason, path) => {
    const press = isPress(reason) && path && { act: reason, postTo: path };
    const page = renderWaitingDocument({ ...shown, reason, ...(press && { press }) });
    res.status(STATUS[reason]).type('html').send(page);
  };
}

function isPress(reason: WaitingReason): reason is WaitingPress {
  return reason in waitingPresses;
}
