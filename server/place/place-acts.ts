import { type IRouter, json, type Request, type RequestHandler, type Response, urlencoded } from 'express';
import * as v from 'valibot';
import type { Config } from '#server/config/config.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { requireJson } from '#server/http/require-json.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import { linksEndAt } from '#server/links/place-links.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { placeLinkLetter } from '#server/payments/balance-letters.ts';
import { canPay, placeChanged } from '#server/payments/pay-balance.ts';
import type { Payments } from '#server/payments/payments.ts';
import { isProof } from '#server/payments/second-factor.ts';
import type { Logger } from '#server/service/logger.ts';
import { PLACE_PATH, type PlaceNews, placePaths } from '#shared/place.ts';
import { messages } from '#shared/registration.ts';
import { type ShownKind, shownKinds } from './letters-shown.ts';
import type { PlaceLimits } from './place-limits.ts';
import { privately, type SendLinkPage } from './place-pages.ts';
import type { Sessions } from './sessions.ts';
import type { NoVisit, Visit, Visits } from './visits.ts';

export interface ActsDependencies {
  config: Config;
  payments: Payments;
  mailQueue: MailQueue;
  limits: PlaceLimits;
  /** Has the worker look all registrations through. */
  askForWalk: () => Promise<void>;
  sessions: Sessions;
  visits: Visits;
  sendLinkPage: SendLinkPage;
  logger: Logger;
  now: () => Date;
}

const token = v.pipe(v.string(), v.maxLength(100));

/**
 * What is pressed on her page: `POST` from the page itself, with the token that stands in it, and with what the page
 * showed. Where that does not hold any more nothing happens, and she is shown how it is now.
 */
export function addPlaceActs(app: IRouter, dependencies: ActsDependencies): void {
  const { config, payments, mailQueue, limits, askForWalk, sessions, visits, sendLinkPage, logger, now } =
    dependencies;
  const { publicUrl } = config;
  const asJson = [privately, requireSameOrigin(publicUrl), requireJson, json({ limit: '2kb' })];
  const asForm = [
    privately,
    requireSameOrigin(publicUrl, { hidden: true }),
    urlencoded({ extended: false, limit: '2kb' }),
  ];
  const leadBack = (res: Response, news?: PlaceNews): void =>
    res.redirect(303, news ? `${PLACE_PATH}?news=${news}` : PLACE_PATH);

  /** Whose browser pressed. */
  const actorOf = async (req: Request, pressToken: string): Promise<Visit> => {
    const visit = await visits.findActor(req, pressToken);
    if (typeof visit === 'string') throw noVisit(visit, config);
    return visit;
  };

  const pay: RequestHandler = async (req, res) => {
    const { token, cents } = read(paySchema, req.body);
    const { record } = await actorOf(req, token);
    res.json(await payments.payBalance(record, cents, now()));
  };
  const beginCard: RequestHandler = async (req, res) => {
    const { token, proof } = read(cardSchema, req.body);
    const { record, secondFactor } = await actorOf(req, token);
    if (!canPay(record, now())) throw placeChanged();
    if (!(await limits.admits('proofs', record.id))) throw noVisit('too-many', config);
    if (!isProof(secondFactor, proof)) throw notProven(secondFactor.kind);
    res.json({ clientSecret: await payments.beginCardChange(record) });
  };
  const cardStored: RequestHandler = async (req, res) => {
    const { token, setupIntent } = read(storedSchema, req.body);
    const { record } = await actorOf(req, token);
    await payments.recordCard(record, setupIntent);
    await askForWalk();
    res.status(204).end();
  };

  const letter: RequestHandler = async (req, res) => {
    const { token, kind } = read(letterSchema, req.body);
    const visit = await visits.findActor(req, token);
    if (visit === 'refused') return leadBack(res, 'changed');
    if (typeof visit === 'string') return sendLinkPage(res, visit);
    leadBack(res, await sendAgain(visit, kind));
  };
  const sendAgain = async ({ record: { id } }: Visit, kind: ShownKind): Promise<PlaceNews> => {
    const mail = await payments.findMail(id, kind, now());
    if (!mail) return 'changed';
    if (!(await limits.admits('letters', id))) return 'too-many';
    const { day, minute } = thisMinute();
    return mailQueue.addAgain(mail, `${day}-${minute}`).then(
      () => 'letter-sent',
      () => 'letter-not-sent',
    );
  };

  /** The answer is the same for every address, and comes before it is looked for. */
  const link: RequestHandler = async (req, res) => {
    if (!(await limits.admits('linksByVisitor', visitorAddress(req)))) return sendLinkPage(res, 'too-many');
    sendLinkPage(res, 'asked');
    const asked = v.safeParse(linkSchema, req.body);
    if (!asked.success) return;
    await sendLinks(asked.output.email).catch((error: unknown) =>
      logger.error({ err: causeOf(error) }, 'A link to her page could not be sent'),
    );
  };
  const sendLinks = async (email: string): Promise<void> => {
    if (!(await limits.admits('linksToAddress', email.toLowerCase()))) return;
    const { day, minute } = thisMinute();
    const letters = (await payments.findByAddress(email))
      .filter(({ edition }) => now() < linksEndAt(edition.facts))
      .flatMap((record) => placeLinkLetter(record, `${day}-${minute}`) ?? []);
    if (letters.length > 0) await mailQueue.add(...letters);
  };

  const open: RequestHandler = async (req, res) => {
    const { paymentIntentClientSecret: secret } = read(openSchema, req.body);
    if (!(await limits.admits('openings', visitorAddress(req)))) return sendLinkPage(res, 'too-many');
    const record = await payments.findOwnPaid(secret);
    if (record) {
      const { id: deposit, linksEpoch: epoch, edition } = record;
      const expiresAt = linksEndAt(edition.facts);
      if (expiresAt > now()) sessions.open(res, { deposit, epoch, expiresAt, scope: 'view' });
    }
    leadBack(res);
  };
  const leave: RequestHandler = (_req, res) => {
    sessions.close(res);
    res.redirect(303, '/');
  };

  app.post(placePaths.pay, ...asJson, pay);
  app.post(placePaths.card, ...asJson, beginCard);
  app.post(placePaths.cardStored, ...asJson, cardStored);
  app.post(placePaths.letter, ...asForm, letter);
  app.post(placePaths.link, ...asForm, link);
  app.post(placePaths.open, ...asForm, open);
  app.post(placePaths.leave, ...asForm, leave);
}

const paySchema = v.object({ token, cents: v.pipe(v.number(), v.integer()) });
const cardSchema = v.object({ token, proof: v.pipe(v.string(), v.maxLength(50)) });
const storedSchema = v.object({ token, setupIntent: v.pipe(v.string(), v.regex(/^seti_\w{1,200}$/)) });
const openSchema = v.object({
  paymentIntentClientSecret: v.pipe(v.string(), v.regex(/^pi_\w{1,200}_secret_\w{1,200}$/)),
});
const letterSchema = v.object({ token, kind: v.picklist(shownKinds) });
const linkSchema = v.object({ email: v.pipe(v.string(), v.trim(), v.maxLength(254)) });

/** Names what happens once in a minute, however often it is pressed: the day, and its minute. */
function thisMinute(): { day: string; minute: number } {
  const at = new Date();
  return {
    day: at.toISOString().slice(0, 'yyyy-mm-dd'.length),
    minute: at.getUTCHours() * 60 + at.getUTCMinutes(),
  };
}

function read<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  throw new AppError({ code: 'invalid_request', status: 400, message: messages.checkDetails });
}

/** Error for a press of somebody who is not let in. */
function noVisit(reason: NoVisit | 'refused', { office: { phone } }: Config): AppError {
  if (reason === 'too-many') {
    const message = `That was asked too often. Please wait a while, or call the retreat office at ${phone}`;
    return new AppError({ code: 'too_many', status: 429, message });
  }
  if (reason === 'refused') return placeChanged();
  const message = 'This page has been closed in this browser. Please open the link in your letter again';
  return new AppError({ code: 'no_session', status: 403, message });
}

function notProven(kind: 'postal-code' | 'phone'): AppError {
  const what =
    kind === 'phone'
      ? 'These are not the last four digits of your phone'
      : 'This is not the postal code of the card';
  const message = `${what} as we have it. Please check it`;
  return new AppError({ code: 'not_proven', status: 422, message, fields: { proof: message } });
}
