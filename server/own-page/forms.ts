import type { Request, RequestHandler, Response } from 'express';
import type * as v from 'valibot';
import type { AppConfig } from '#server/config/config.ts';
import { isProof } from '#server/payments/find-registration.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { OwnPageNews } from '#shared/content/own-page-form-words.ts';
import type { Sent } from '#shared/content/own-page-view.ts';
import { actWords } from '#shared/content/own-page-words.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { SendLinkPage } from './link-pages.ts';
import type { News } from './news.ts';
import type { FormName, OwnPageDocuments } from './own-page-documents.ts';
import type { OwnPageLimits } from './own-page-limits.ts';
import { beforeForm, readPress } from './press.ts';
import type { Sessions } from './sessions.ts';
import type { NoActor, Visit, Visits } from './visits.ts';

/** What is wrong with what she sent. */
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
   * Each attempt counts, right or wrong; a wrong one is recorded, and a letter tells her of it.
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
  payments: Pick<Payments, 'recordWrongProof'>;
  limits: OwnPageLimits;
  news: News;
  documents: OwnPageDocuments;
  sendLinkPage: SendLinkPage;
  now: () => Date;
}

export function createForms(dependencies: Dependencies): Forms {
  const { config, sessions, visits, payments, limits, news, documents, sendLinkPage, now } = dependencies;
  const redirect: Forms['redirect'] = (res, told, path = OWN_PAGE_PATH) => {
    if (told) news.tell(res, told);
    res.redirect(303, path);
  };
  const refuse: Forms['refuse'] = (res, reason) => {
    if (reason === 'refused') return redirect(res, 'changed');
    if (reason === 'invalid') sessions.close(res);
    sendLinkPage(res, reason);
  };
  const refute: Forms['refute'] = async ({ session, record, secondFactor }, typed) => {
    if (!(await limits.admitsIn(session, 'proofs'))) return 'spent';
    if (isProof(secondFactor, typed)) return undefined;
    await payments.recordWrongProof(record, now());
    return 'wrong';
  };
  const prove = async (visit: Visit, typed: string): Promise<Refuted | undefined> => {
    if (typed.trim() === '') return { errors: { proof: actWords.proofMissing } };
    const refuted = await refute(visit, typed);
    if (refuted === 'spent') return { errors: {}, proofsSpent: true };
    return refuted && { errors: { proof: actWords.notProven[visit.secondFactor.kind] } };
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
