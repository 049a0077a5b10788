import { json, type Request, type RequestHandler, type Response, urlencoded } from 'express';
import * as v from 'valibot';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import type { Database } from '#server/database/database.ts';
import { AppError } from '#server/http/app-error.ts';
import type { Limiter } from '#server/http/limiter.ts';
import { requireJson, requireSameOrigin } from '#server/http/request-guards.ts';
import { privately } from '#server/http/security-headers.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Assets } from '#server/page/assets.ts';
import { createLinks } from '#server/registration/links.ts';
import { isProof, recordWrongProof, secondFactorOf } from '#server/registration/page-access.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import type { OwnPageNews } from '#shared/content/own-page-form-words.ts';
import type { Sent } from '#shared/content/own-page-view.ts';
import { actWords } from '#shared/content/own-page-words.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { messages } from '#shared/registration.ts';
import { typedText } from '#shared/typed-text.ts';
import { currentTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import {
  createOwnPageDocuments,
  type FormName,
  linkPages,
  type OwnPageDocuments,
  type SendLinkPage,
} from './own-page-documents.ts';
import {
  createNews,
  createSessions,
  createVisits,
  type News,
  type NoActor,
  type Sessions,
  type Visit,
  type Visits,
} from './visits.ts';

/** What her page needs of the site. */
export interface OwnPageDependencies {
  config: AppConfig;
  assets: Assets;
  database: Database;
  payments: Payments;
  mailQueue: MailQueue;
  limiter: Limiter;
  /** Asks the worker to do what is due now. */
  askForDueWork: () => Promise<void>;
  logger: Logger;
  now: () => Date;
}

/** What the routes of her page share. */
export type OwnPageContext = ReturnType<typeof createOwnPageContext>;

export function createOwnPageContext(dependencies: OwnPageDependencies) {
  const { config, assets, now } = dependencies;
  const links = createLinks(config.linkSecrets, config.publicUrl);
  const sessions = createSessions(links, config.publicUrl, now);
  const look = { styleSheet: assets.ownPageStyle, fonts: assets.fonts };
  const shown = { office: contactOf(config.office), look };
  const { publishableKey, scriptUrl = null } = config.stripe;
  const shownWithCard = { ...shown, script: assets.ownPageScript, stripe: { publishableKey, scriptUrl } };
  const base = {
    ...dependencies,
    links,
    sessions,
    shown,
    shownWithCard,
    visits: createVisits({ ...dependencies, links, sessions }),
    news: createNews(config, sessions),
    documents: createOwnPageDocuments({ ...dependencies, links, shown, shownWithCard }),
    sendLinkPage: linkPages(shown),
  };
  return { ...base, forms: createForms(base) };
}

type Refuted = Omit<Sent, 'typed'>;

/** What a form sends: the token of its page, and texts. */
type PressSchema = v.GenericSchema<unknown, { token: string } & Record<string, string>>;

interface Press<Typed> {
  visit: Visit;
  record: RegistrationRecord;
  typed: Typed;
  /** The time of the press, before anything was read. */
  at: Date;
  /** The error of the proof that she typed; undefined when it is right. An empty one is no attempt. */
  prove(typed: string): Promise<Refuted | undefined>;
}

/** The news that her page shows; `form-changed` has the form itself show that something has changed. */
export type Outcome = OwnPageNews | 'form-changed' | undefined;

/** A file that answers a press. */
export interface Download {
  fileName: string;
  content: string;
}

type Act<Schema extends PressSchema, Result> = (
  press: Press<Omit<v.InferOutput<Schema>, 'token'>>,
) => Promise<Result>;
type Handler = (req: Request, res: Response) => Promise<void>;

/** What the presses on her page share, above all those that need no script. */
export interface Forms {
  /**
   * What is wrong with the proof that it is she who presses; undefined when it is right. Holding a link to her page is no proof.
   * After ten wrong ones in a day none is accepted. A wrong one is recorded, and a letter tells her of the third in a day.
   */
  refute(visit: Visit, typed: string): Promise<'wrong' | 'spent' | undefined>;
  /** The handlers before each of these forms. */
  before: RequestHandler[];
  /** Answers a press that needs no form to be shown again. */
  press<Schema extends PressSchema>(schema: Schema, act: Act<Schema, OwnPageNews>): Handler;
  /** Answers a press of a form, which is shown again with its errors if it is refused. */
  submit<Schema extends PressSchema>(
    form: FormName,
    schema: Schema,
    act: Act<Schema, Outcome | Refuted | Download>,
  ): Handler;
  /** Answers a press that is not carried out. */
  refuse(res: Response, reason: NoActor): void;
  /** Redirects to one of her pages, which shows the result of the press. */
  redirect(res: Response, told?: OwnPageNews, path?: string): void;
}

interface Dependencies {
  config: Pick<AppConfig, 'publicUrl'>;
  sessions: Sessions;
  visits: Visits;
  payments: Pick<Payments, 'database'>;
  limiter: Limiter;
  news: News;
  documents: OwnPageDocuments;
  sendLinkPage: SendLinkPage;
  now: () => Date;
}

function createForms(dependencies: Dependencies): Forms {
  const { config, sessions, visits, payments, limiter, news, documents, sendLinkPage, now } = dependencies;
  const redirect: Forms['redirect'] = (res, told, path = OWN_PAGE_PATH) => {
    if (told) news.tell(res, told);
    res.redirect(303, path);
  };
  const refuse: Forms['refuse'] = (res, reason) => {
    if (reason === 'refused') return redirect(res, 'changed');
    if (reason === 'invalid') sessions.close(res);
    sendLinkPage(res, reason);
  };
  const refute: Forms['refute'] = async ({ record }, typed) => {
    // Counted before it is compared, so that attempts at the same time cannot get past the limit.
    if (await limiter.take(['place-proofs', record.id])) return 'spent';
    if (isProof(secondFactorOf(record), typed)) {
      await limiter.giveBack(['place-proofs', record.id]);
      return undefined;
    }
    await recordWrongProof(payments, record, now());
    return 'wrong';
  };
  const prove = async (visit: Visit, typed: string): Promise<Refuted | undefined> => {
    if (typedText(typed) === '') return { errors: { proof: actWords.proofMissing } };
    const refuted = await refute(visit, typed);
    if (refuted === 'spent') return { errors: {}, proofsSpent: true };
    return refuted && { errors: { proof: actWords.notProven[secondFactorOf(visit.record).kind] } };
  };
  const handle =
    <Schema extends PressSchema, Result>(
      schema: Schema,
      act: Act<Schema, Result>,
      answer: (res: Response, result: Result, press: Press<Record<string, string>>) => void,
    ): Handler =>
    async (req, res) => {
      const at = now();
      const { token, ...typed } = readPress(schema, req.body);
      const visit = await visits.findActor(req, token);
      if (typeof visit === 'string') return refuse(res, visit);
      const press = { visit, record: visit.record, typed, at, prove: (proof: string) => prove(visit, proof) };
      answer(res, await act(press), press);
    };
  return {
    before: beforeForm(config.publicUrl, '32kb'),
    refute,
    redirect,
    refuse,
    press: (schema, act) => handle(schema, act, (res, told) => redirect(res, told)),
    submit: (form, schema, act) =>
      handle(schema, act, (res, result, { visit, at, typed }) => {
        if (result === 'form-changed') return redirect(res, 'changed', formPaths[form]);
        if (typeof result !== 'object') return redirect(res, result);
        if ('content' in result) {
          res.attachment(result.fileName).send(result.content);
          return;
        }
        const render = documents.form(form, visit, at);
        if (!render) return redirect(res, 'changed');
        const html = render({ sent: { ...result, typed } });
        res
          .status(result.proofsSpent ? 429 : 422)
          .type('html')
          .send(html);
      }),
  };
}

/** The token that her page contains and each press carries, see `Links.pressToken`. */
export const pressToken = v.pipe(v.string(), v.maxLength(300));

/** The handlers before a press of a form, which needs no script. */
export function beforeForm(publicUrl: string, limit: '2kb' | '32kb'): RequestHandler[] {
  const sameOrigin = requireSameOrigin(publicUrl, { allowNullOrigin: true });
  return [privately, sameOrigin, urlencoded({ extended: false, limit })];
}

/** Those before a press of her page's script. */
export function beforeJson(publicUrl: string): RequestHandler[] {
  return [privately, requireSameOrigin(publicUrl), requireJson, json({ limit: '2kb' })];
}

/** What she types to prove that it is she. */
export const proof = v.pipe(v.string(), v.maxLength(50));

/** The zone in which she chose to read the hours. */
export const chosenZone = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check(isKnownTimeZone),
  v.transform(currentTimeZone),
);

/** A form field with US cents. */
export const centsField = v.pipe(v.string(), v.regex(/^\d{1,9}$/));

/**
 * Reads what was sent with a press.
 * @throws {AppError} when the body is not what her page sends
 */
export function readPress<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, body);
  if (read.success) return read.output;
  throw new AppError({ code: 'invalid_request', status: 400, message: messages.checkDetails });
}
