import type { IRouter, Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { renderConfirmDocument, renderTakeDocument } from '#client/entry.server.tsx';
import { confirmAddress } from '#server/acts/her-details.ts';
import { AppError } from '#server/http/app-error.ts';
import { cookieOf, redirectMarked } from '#server/http/cookies.ts';
import { isRestByCheck, nextInstallment } from '#server/registration/balance.ts';
import { balanceTermsOf } from '#server/registration/card-on-file.ts';
import {
  balanceOnceHandedOver,
  isHandedOverBy,
  type PendingHandOver,
  pendingHandOver,
  termsOnceHandedOver,
} from '#server/registration/hand-over.ts';
import { linkDigest, linksEndAt } from '#server/registration/links.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { hasOwnPage } from '#server/registration/registration-state.ts';
import { statement } from '#server/registration/statement.ts';
import { acceptHandOver, beginTakersCard } from '#server/stripe/hand-over.ts';
import { takeWords } from '#shared/content/own-page-form-words.ts';
import type { TakeView } from '#shared/content/own-page-view.ts';
import { isPayment } from '#shared/content/statement.ts';
import { asAgreed } from '#shared/content/tuition.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { beforeJson, centsField, chosenZone, type OwnPageContext, readPress } from './own-page-context.ts';
import { maskPhone } from './own-page-view.ts';

/** How long a browser that opened a link to accept a place keeps its cookie. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** What a link to accept a place leads to. */
interface Found {
  record: RegistrationRecord;
  pending: PendingHandOver;
}

export type HandOver = ReturnType<typeof createHandOver>;

/** The page behind a link to a place that is handed over: it asks who gets it. */
export function createHandOver(context: OwnPageContext) {
  const { config, links, payments, limiter, askForDueWork, shownWithCard } = context;
  const { sessions, news, forms, sendLinkPage, now } = context;

  const find = async (
    text: string,
  ): Promise<Found | 'invalid' | 'too-many' | 'hand-over-gone' | 'hand-over-done'> => {
    const token = links.read(text, now(), 'taker');
    if (!token) return 'invalid';
    if (await limiter.take(['place-confirmations', token.subject])) return 'too-many';
    const record = await findRegistration(payments, token.subject);
    const decided = record?.decisions.handOver;
    if (!record || !decided || !hasOwnPage(record) || linkDigest(decided.email, decided.at) !== token.digest)
      return 'hand-over-gone';
    if (isHandedOverBy(record, decided.at)) return 'hand-over-done';
    const pending = pendingHandOver(record, now());
    return pending?.agreedAt ? { record, pending } : 'hand-over-gone';
  };
  /** It only shows the page. */
  const cookie = cookieOf('place-take', config.publicUrl.startsWith('https:'), formPaths.takePlace);
  const sendTake = (res: Response, { record, pending }: Found, link: string, error?: string): void => {
    const view = takeViewOf(record, pending, { link, now: now(), error });
    if (!view) {
      sendLinkPage(res, 'hand-over-gone');
      return;
    }
    res.status(error === undefined ? 200 : 409).type('html');
    res.send(renderTakeDocument({ ...shownWithCard, view }));
  };
  /** Opens her page in the browser that accepted the place. */
  const enter = (res: Response, { id: subject, linksEpoch: epoch, edition }: RegistrationRecord): void => {
    sessions.open(res, { subject, epoch, expiresAt: linksEndAt(edition.facts), scope: 'session' });
    news.tell(res, 'place-taken', subject);
    redirectMarked(res, OWN_PAGE_PATH);
  };
  const take: RequestHandler = async (req, res) => {
    const { link, agreed, ...sent } = readPress(takeSchema, req.body);
    const found = await find(link);
    if (typeof found === 'string') return sendLinkPage(res, found);
    const { record, pending } = found;
    if (agreed !== 'on') return sendTake(res, found, link, takeWords.agreeFirst);
    try {
      await payments.ask(acceptHandOver, record.id, { ...sent, decidedAt: pending.at }, now());
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 409) throw error;
      if (error.code === 'hand_over_gone') return sendLinkPage(res, 'hand-over-gone');
      return sendTake(res, found, link, error.message);
    }
    await askForDueWork();
    const after = await findRegistration(payments, record.id);
    return after ? enter(res, after) : sendLinkPage(res, 'hand-over-done');
  };
  const card: RequestHandler = async (req, res) => {
    const found = await find(readPress(cardSchema, req.body).link);
    if (typeof found === 'string') throw noCard(found === 'too-many' ? 429 : 409);
    res.json({ clientSecret: await payments.ask(beginTakersCard, found.record, now()) });
  };

  return {
    /** Leads to the page that accepts a place if the token is one of such a link; returns whether it is. */
    keepTake(text: string, res: Response): boolean {
      const token = links.read(text, now(), 'take');
      if (!token) return false;
      // As with the cookie of her page, a link does not work as a cookie.
      cookie.set(res, links.format({ ...token, scope: 'taker' }), KEPT_MS);
      res.redirect(303, formPaths.takePlace);
      return true;
    },
    /** Answers with that page: its address names no token, since Stripe's script tells it to Stripe. */
    async showTake(req: Request, res: Response): Promise<void> {
      const kept = cookie.read(req);
      const found = kept === undefined ? 'no-cookie' : await find(kept);
      if (typeof found === 'string') return sendLinkPage(res, found);
      sendTake(res, found, kept ?? '');
    },
    addActs(app: IRouter): void {
      app.post(formPaths.takePlace, ...forms.before, take);
      app.post(ownPagePaths.takeCard, ...beforeJson(config.publicUrl), card);
    },
  };
}

function takeViewOf(
  record: RegistrationRecord,
  { firstName, lastName, email, phoneNumber, until }: PendingHandOver,
  { link, now, error }: { link: string; now: Date; error: string | undefined },
): TakeView | undefined {
  const { edition, registrant, decisions } = record;
  const terms = termsOnceHandedOver(record);
  if (!terms) return undefined;
  const { cents, isCharged } = balanceOnceHandedOver(record, now);
  const next = nextInstallment(record);
  return {
    edition: asAgreed(edition, balanceTermsOf(record)),
    from: registrant.firstName,
    name: `${firstName} ${lastName}`,
    email,
    maskedPhone: maskPhone(phoneNumber),
    payments: statement(record).filter(isPayment),
    waivedCents: decisions.waived?.cents ?? 0,
    left: {
      cents,
      dueAt: next.dueAt,
      byPlan: next.part !== undefined,
      how: isRestByCheck(record, next) ? 'by-check' : isCharged ? 'charged' : 'asked',
    },
    terms,
    until,
    link,
    error,
  };
}

/** The error for a card that nobody is asked for, or that was asked for too often. */
function noCard(status: 409 | 429): AppError {
  const message =
    'This place cannot be accepted now. Please load this page again in a few minutes, or ask the office';
  return new AppError({ code: 'no_card', status, message });
}

const link = v.pipe(v.string(), v.maxLength(500));
const takeSchema = v.object({
  link,
  version: v.pipe(v.string(), v.maxLength(50)),
  digest: v.pipe(v.string(), v.maxLength(64)),
  cents: v.pipe(centsField, v.transform(Number)),
  agreed: v.optional(v.string()),
  timeZone: chosenZone,
  /** Empty where no card is asked for. */
  setupIntent: v.pipe(
    v.optional(v.string(), ''),
    v.regex(/^(?:seti_\w{1,200})?$/),
    v.transform((id) => id || undefined),
  ),
});
const cardSchema = v.object({ link });

/** A registration, and the new address that the link confirms. */
interface Asked {
  record: RegistrationRecord;
  address: string;
}

export type ConfirmAddress = ReturnType<typeof createConfirmAddress>;

/** The page behind a link that confirms an address. It needs no session: the letter proved the address. */
export function createConfirmAddress(context: OwnPageContext) {
  const { links, payments, limiter, askForDueWork, shown, forms, sendLinkPage, now } = context;
  const send = (res: Response, { record, address }: Asked, link?: string): void => {
    const { facts } = record.edition;
    res.type('html').send(renderConfirmDocument({ ...shown, facts, address, link }));
  };

  const find = async (text: string): Promise<Asked | 'invalid' | 'unconfirmed' | 'too-many'> => {
    const token = links.read(text, now(), 'confirm');
    if (!token) return 'invalid';
    if (await limiter.take(['place-confirmations', token.subject])) return 'too-many';
    const record = await findRegistration(payments, token.subject);
    if (!record?.addressAsked || !hasOwnPage(record) || record.linksEpoch !== token.epoch)
      return 'unconfirmed';
    const { addressAsked } = record;
    if (linkDigest(addressAsked.to, addressAsked.at) !== token.digest) return 'unconfirmed';
    return { record, address: addressAsked.to };
  };

  const confirm: RequestHandler = async (req, res) => {
    const { link } = readPress(confirmSchema, req.body);
    const asked = await find(link);
    if (typeof asked === 'string') return sendLinkPage(res, asked);
    const { record, address } = asked;
    const outcome = await payments.ask(confirmAddress, record, address, now());
    if (outcome !== 'confirmed') return sendLinkPage(res, outcome === 'gone' ? 'unconfirmed' : outcome);
    await askForDueWork();
    send(res, asked);
  };

  return {
    /** Answers with the confirm button if the token is one of such a link; returns whether it is. */
    async show(text: string, res: Response): Promise<boolean> {
      const asked = await find(text);
      if (asked === 'invalid') return false;
      if (typeof asked === 'string') sendLinkPage(res, asked);
      else send(res, asked, text);
      return true;
    },
    addActs(app: IRouter): void {
      app.post(formPaths.addressConfirmed, ...forms.before, confirm);
    },
  };
}

const confirmSchema = v.object({ link: v.pipe(v.string(), v.maxLength(500)) });
