import type { IRouter, Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { ConfirmDocument, renderDocument, TakeDocument } from '#client/entry.server.tsx';
import {
  balanceOnceHandedOver,
  balanceTermsOf,
  findRegistration,
  hasOwnPage,
  isHandedOverBy,
  isRestByCheck,
  linkDigest,
  nextInstallment,
  type PendingHandOver,
  pendingHandOver,
  type RegistrationRecord,
  statement,
  termsOnceHandedOver,
} from '#server/registration/registration.ts';
import { isSession, openTakersCheckout, readTakersCard } from '#server/stripe/checkout.ts';
import { acceptHandOver } from '#server/stripe/hand-over.ts';
import { confirmAddress } from '#server/stripe/her-details.ts';
import { AppError } from '#server/web/app-error.ts';
import { cookieOf, redirectMarked } from '#server/web/cookies.ts';
import { takeWords } from '#shared/content/own-page-form-words.ts';
import type { TakeView } from '#shared/content/own-page-view.ts';
import { asAgreed, isPayment } from '#shared/content/tuition.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { maskPhone } from './own-page-view.ts';
import { centsField, chosenZone, readPress } from './press-input.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

interface Offered {
  record: RegistrationRecord;
  pending: PendingHandOver;
}

interface Asked {
  record: RegistrationRecord;
  address: string;
}

export type LinkActs = ReturnType<typeof createLinkActs>;

/** The pages behind links that open no session: who gets a place accepts it, she confirms an address. */
export function createLinkActs(context: OwnPageContext) {
  const { config, links, payments, limiter, askForDueWork, shown, documents } = context;
  const { sessions, news, forms, sendLinkPage, now } = context;

  const find = async (text: string, scope: 'taker' | 'confirm') => {
    const token = links.read(text, now(), scope);
    if (!token) return 'invalid';
    if (await limiter.take(['place-confirmations', token.subject])) return 'too-many';
    const record = await findRegistration(payments, token.subject);
    return record && hasOwnPage(record) ? { record, token } : 'gone';
  };
  const findOffered = async (text: string) => {
    const found = await find(text, 'taker');
    if (typeof found === 'string') return found === 'gone' ? 'hand-over-gone' : found;
    const { record, token } = found;
    const decided = record.decisions.handOver;
    if (!decided || linkDigest(decided.email, decided.at) !== token.digest) return 'hand-over-gone';
    if (isHandedOverBy(record, decided.at)) return 'hand-over-done';
    const pending = pendingHandOver(record, now());
    return pending?.agreedAt ? { record, pending } : 'hand-over-gone';
  };
  const findAsked = async (text: string) => {
    const found = await find(text, 'confirm');
    if (typeof found === 'string') return found === 'gone' ? 'unconfirmed' : found;
    const { record, token } = found;
    const { addressAsked: asked, linksEpoch } = record;
    const isAsked = asked && linksEpoch === token.epoch && linkDigest(asked.to, asked.at) === token.digest;
    return isAsked ? { record, address: asked.to } : 'unconfirmed';
  };

  const cookie = cookieOf('place-take', config.publicUrl.startsWith('https:'), formPaths.takePlace);
  /** @param session in which she has stored a card */
  const sendTake = async (
    res: Response,
    { record, pending }: Offered,
    link: string,
    session?: string,
    error?: AppError,
  ) => {
    const stored = session ? await payments.ask(readTakersCard, record.id, session, pending.at) : undefined;
    const view = takeViewOf(record, pending, now());
    if (!view) return sendLinkPage(res, 'hand-over-gone');
    const given = stored?.card ? { card: stored.card, session } : {};
    res.status(error?.status ?? 200).type('html');
    res.send(
      renderDocument(TakeDocument, { ...shown, view: { ...view, ...given, link, error: error?.message } }),
    );
  };
  const take: RequestHandler = async (req, res) => {
    const { link, agreed, ...sent } = readPress(takeSchema, req.body);
    const found = await findOffered(link);
    if (typeof found === 'string') return sendLinkPage(res, found);
    const { record, pending } = found;
    if (agreed !== 'on') return sendTake(res, found, link, sent.session, notAgreed());
    try {
      await payments.ask(acceptHandOver, record.id, { ...sent, decidedAt: pending.at }, now());
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 409) throw error;
      if (error.code === 'hand_over_gone') return sendLinkPage(res, 'hand-over-gone');
      return sendTake(res, found, link, sent.session, error);
    }
    await askForDueWork();
    const after = await findRegistration(payments, record.id);
    if (!after) return sendLinkPage(res, 'hand-over-done');
    sessions.openPage(res, after, 'session');
    news.tell(res, 'place-taken', after.id);
    redirectMarked(res, OWN_PAGE_PATH);
  };
  const takeUrl = new URL(formPaths.takePlace, config.publicUrl).href;
  const ways = { success_url: `${takeUrl}?session={CHECKOUT_SESSION_ID}`, cancel_url: takeUrl };
  const card: RequestHandler = async (req, res) => {
    const { link } = readPress(linkSchema, req.body);
    const found = await findOffered(link);
    if (typeof found === 'string') return sendLinkPage(res, found);
    try {
      const session = await payments.ask(openTakersCheckout, found.record, ways, now());
      res.redirect(303, `${formPaths.takersGo}?to=${session}`);
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 429) throw error;
      await sendTake(res, found, link, undefined, error);
    }
  };
  const findKept = async (req: Request) => {
    const link = cookie.read(req);
    const found = link === undefined ? 'no-cookie' : await findOffered(link);
    return typeof found === 'string' ? found : { ...found, link: link ?? '' };
  };

  const sendConfirm = (res: Response, { record, address }: Asked, link?: string): void => {
    const { facts } = record.edition;
    res.type('html').send(renderDocument(ConfirmDocument, { ...shown, facts, address, link }));
  };
  const confirm: RequestHandler = async (req, res) => {
    const asked = await findAsked(readPress(linkSchema, req.body).link);
    if (typeof asked === 'string') return sendLinkPage(res, asked);
    const outcome = await payments.ask(confirmAddress, asked.record, asked.address, now());
    if (outcome !== 'confirmed') return sendLinkPage(res, outcome === 'gone' ? 'unconfirmed' : outcome);
    await askForDueWork();
    sendConfirm(res, asked);
  };

  return {
    async open(text: string, res: Response): Promise<void> {
      const token = links.read(text, now(), 'take');
      if (token) {
        // As with the cookie of her page, a link does not work as a cookie.
        cookie.set(res, links.format({ ...token, scope: 'taker' }), KEPT_MS);
        return res.redirect(303, formPaths.takePlace);
      }
      const asked = await findAsked(text);
      return typeof asked === 'string' ? sendLinkPage(res, asked) : sendConfirm(res, asked, text);
    },
    /** The address of that page names no token: Stripe is told it. */
    async showTake(req: Request, res: Response): Promise<void> {
      const found = await findKept(req);
      if (typeof found === 'string') return sendLinkPage(res, found);
      const { session } = req.query;
      await sendTake(res, found, found.link, isSession(session) ? session : undefined);
    },
    async goToStripe(req: Request, res: Response): Promise<void> {
      const found = await findKept(req);
      if (typeof found === 'string') return sendLinkPage(res, found);
      const { record, pending } = found;
      const { to } = req.query;
      const asked = isSession(to) ? await payments.ask(readTakersCard, record.id, to, pending.at) : undefined;
      if (asked?.url) return void res.send(documents.onTheWay(record, 'card', asked.url));
      res.redirect(303, asked ? `${formPaths.takePlace}?session=${to}` : formPaths.takePlace);
    },
    addActs(app: IRouter): void {
      app.post(formPaths.takePlace, ...forms.before, take);
      app.post(formPaths.takersCard, ...forms.before, card);
      app.post(formPaths.addressConfirmed, ...forms.before, confirm);
    },
  };
}

function takeViewOf(
  record: RegistrationRecord,
  { firstName, lastName, email, phoneNumber, until }: PendingHandOver,
  now: Date,
): Omit<TakeView, 'link'> | undefined {
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
  };
}

const notAgreed = () => new AppError({ code: 'not_agreed', status: 409, message: takeWords.agreeFirst });

const link = v.pipe(v.string(), v.maxLength(500));
const takeSchema = v.object({
  link,
  version: v.pipe(v.string(), v.maxLength(50)),
  digest: v.pipe(v.string(), v.maxLength(64)),
  cents: v.pipe(centsField, v.transform(Number)),
  agreed: v.optional(v.string()),
  timeZone: chosenZone,
  session: v.pipe(
    v.optional(v.string(), ''),
    v.check((id) => id === '' || isSession(id)),
    v.transform((id) => id || undefined),
  ),
});
const linkSchema = v.object({ link });
