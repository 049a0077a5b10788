import type { IRouter, Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { OfferDocument, renderDocument, WaitingDocument } from '#client/entry.server.tsx';
import {
  findRegistration,
  nameOf,
  takeOffer,
  type WaitingRecord,
} from '#server/registration/registration.ts';
import { redirectMarked } from '#server/web/cookies.ts';
import { allow } from '#server/web/request-guards.ts';
import { privately } from '#server/web/security-headers.ts';
import { takeWords } from '#shared/content/own-page-form-words.ts';
import type { OfferView } from '#shared/content/own-page-view.ts';
import type { WaitingReason } from '#shared/content/plain-pages.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { OFFER_PATH } from '#shared/waiting.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { maskPhone } from './own-page-view.ts';
import { readPress } from './press-input.ts';

const STATUS = { invalid: 403, 'offer-used': 410, 'offer-over': 410 } as const satisfies Partial<
  Record<WaitingReason, number>
>;

const takeSchema = v.object({ version: v.string(), digest: v.string(), agreed: v.optional(v.string()) });

/**
 * The page of an offer to somebody on the waiting list. A press registers her with the place that is kept for her, and
 * opens her page, which asks for the deposit.
 */
export function addOfferPage(app: IRouter, context: OwnPageContext): void {
  const { links, limiter, payments, places, waitingList } = context;
  const { sessions, shown, forms, sendLinkPage, askForDueWork, now } = context;

  const sendReason = (res: Response, reason: keyof typeof STATUS): void => {
    res.status(STATUS[reason]).type('html');
    res.send(renderDocument(WaitingDocument, { ...shown, reason }));
  };
  const sendOffer = (res: Response, { edition, registrant, offer }: WaitingRecord, error?: string): void => {
    const view: OfferView = {
      edition,
      name: nameOf(registrant),
      email: registrant.email,
      maskedPhone: maskPhone(registrant.phoneNumber),
      until: offer?.until ?? now(),
      postTo: res.req.path,
      error,
    };
    res.status(error === undefined ? 200 : 409).type('html');
    res.send(renderDocument(OfferDocument, { ...shown, view }));
  };
  /** Answers where there is no offer any more. */
  const find = async (req: Request, res: Response): Promise<WaitingRecord | undefined> => {
    // Who comes too late is told so.
    const token = links.read(String(req.params.token), new Date(0), 'offer');
    if (!token) return void sendReason(res, 'invalid');
    if (await limiter.take(['place-confirmations', token.subject])) return void sendLinkPage(res, 'too-many');
    const found = await waitingList.findOffered(token);
    return typeof found === 'string' ? void sendReason(res, `offer-${found}`) : found;
  };
  const show: RequestHandler = async (req, res) => {
    const entry = await find(req, res);
    if (entry) sendOffer(res, entry);
  };
  const take: RequestHandler = async (req, res) => {
    const { agreed, version, digest } = readPress(takeSchema, req.body);
    const entry = await find(req, res);
    if (!entry) return;
    const { terms } = entry.edition;
    const isShown = version === terms.version && digest === terms.digest;
    if (!isShown || agreed !== 'on') return sendOffer(res, entry, takeWords.agreeFirst);
    const id = await takeOffer(places, entry, now());
    const record = id === undefined ? undefined : await findRegistration(payments, id);
    if (!record) return sendReason(res, 'offer-over');
    await askForDueWork();
    sessions.openPage(res, record, 'session');
    redirectMarked(res, OWN_PAGE_PATH);
  };
  const page = app.route(`${OFFER_PATH}/:token`).all(privately, allow('GET', 'HEAD', 'POST'));
  page.get(show).post(...forms.before, take);
}
