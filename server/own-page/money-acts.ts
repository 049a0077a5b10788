import type { IRouter, Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { AppConfig } from '#server/config/config.ts';
import { AppError } from '#server/http/app-error.ts';
import { nextInstallment } from '#server/registration/balance.ts';
import { secondFactorOf } from '#server/registration/page-access.ts';
import { refused } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { beginCardChange, recordCard } from '#server/stripe/cards.ts';
import { canPay, payBalance } from '#server/stripe/pay.ts';
import { actWords } from '#shared/content/own-page-words.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { beforeJson, pressToken, proof, readPress } from './press-input.ts';
import type { NoActor, Visit } from './visits.ts';

/**
 * The requests of her page's script when she pays or gives another card: JSON, with the token from the page
 * and what the page showed. If that is no longer true, nothing happens, and she is shown the current state.
 */
export function addMoneyActs(app: IRouter, context: OwnPageContext): void {
  const { config, payments, askForDueWork, visits, forms, news, now } = context;
  const actorOf = async (req: Request, token: string): Promise<Visit> => {
    const visit = await visits.findActor(req, token);
    if (typeof visit === 'string') throw noVisit(visit, config);
    return visit;
  };

  /** The registration of somebody who can pay here, and has proven that it is she: before that no secret is handed out. */
  const payerOf = async (
    req: Request,
    { token, proof }: Proven,
    isAsShown: (record: RegistrationRecord) => boolean = () => true,
  ): Promise<RegistrationRecord> => {
    const visit = await actorOf(req, token);
    if (!canPay(visit.record, now()) || !isAsShown(visit.record)) throw refused('changed');
    const refuted = await forms.refute(visit, proof);
    if (refuted === 'spent') throw noVisit('too-many', config);
    if (refuted) throw notProven(secondFactorOf(visit.record).kind);
    return visit.record;
  };

  const pay = async (req: Request, res: Response): Promise<void> => {
    const { cents, part, ...proven } = readPress(paySchema, req.body);
    // Two parts may have the same sum: the one that she saw may be paid since.
    const record = await payerOf(req, proven, (current) => nextInstallment(current).part?.position === part);
    const toPay = await payments.ask(payBalance, record, cents, now());
    news.tell(res, 'paid');
    res.json(toPay);
  };
  const beginCard = async (req: Request, res: Response): Promise<void> => {
    const record = await payerOf(req, readPress(provenSchema, req.body));
    res.json({ clientSecret: await payments.ask(beginCardChange, record, now()) });
  };
  const cardStored = async (req: Request, res: Response): Promise<void> => {
    const { token, setupIntent } = readPress(storedSchema, req.body);
    const { record } = await actorOf(req, token);
    if (await payments.ask(recordCard, record, setupIntent)) await askForDueWork();
    news.tell(res, 'card-changed');
    res.status(204).end();
  };
  const withNews =
    (act: (req: Request, res: Response) => Promise<void>): RequestHandler =>
    (req, res) =>
      act(req, res).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'changed') news.tell(res, 'changed');
        throw error;
      });

  const before = beforeJson(config.publicUrl);
  app.post(ownPagePaths.pay, ...before, withNews(pay));
  app.post(ownPagePaths.card, ...before, withNews(beginCard));
  app.post(ownPagePaths.cardStored, ...before, withNews(cardStored));
}

const provenSchema = v.object({ token: pressToken, proof });
type Proven = v.InferOutput<typeof provenSchema>;
const paySchema = v.object({
  ...provenSchema.entries,
  cents: v.pipe(v.number(), v.integer()),
  /** The position of the part of her payment plan. */
  part: v.optional(v.number()),
});
const storedSchema = v.object({
  token: pressToken,
  setupIntent: v.pipe(v.string(), v.regex(/^seti_\w{1,200}$/)),
});

/** The error for a press of somebody who is not let in. */
function noVisit(reason: NoActor, { office: { phone } }: AppConfig): AppError {
  if (reason === 'too-many') {
    const message = `That was asked too often. Please wait a while, or call the retreat office at ${phone}`;
    return new AppError({ code: 'too_many', status: 429, message });
  }
  if (reason === 'refused') return refused('changed');
  if (reason === 'another')
    return new AppError({ code: 'another_page', status: 409, message: actWords.anotherPage });
  const message = 'This page has been closed in this browser. Please open the link in your message again';
  return new AppError({ code: 'no_session', status: 403, message });
}

function notProven(kind: 'postal-code' | 'phone'): AppError {
  const message = actWords.notProven[kind];
  return new AppError({ code: 'not_proven', status: 422, message, fields: { proof: message } });
}
