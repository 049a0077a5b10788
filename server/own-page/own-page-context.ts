import type { ErrorRequestHandler, IRouter, RequestHandler, Response } from 'express';
import type * as v from 'valibot';
import {
  findRegistration,
  isProof,
  type RegistrationRecord,
  recordWrongProof,
  secondFactorOf,
} from '#server/registration/registration.ts';
import { AppError } from '#server/web/app-error.ts';
import type { OwnPageNews } from '#shared/content/own-page-form-words.ts';
import type { Sent } from '#shared/content/own-page-view.ts';
import { actWords } from '#shared/content/own-page-words.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';
import { typedText } from '#shared/typed-text.ts';
import { createOwnPageBase, type OwnPageBase, type OwnPageDependencies } from './own-page-base.ts';
import type { FormName } from './own-page-documents.ts';
import { beforeForm, readPress } from './press-input.ts';
import type { NoActor, Visit } from './visits.ts';

type PressSchema = v.GenericSchema<unknown, { token: string } & Record<string, string>>;

export interface Press<Typed> {
  record: RegistrationRecord;
  typed: Typed;
  /** The time of the press, before anything was read. */
  at: Date;
}

/** The news that her page shows; `form-changed` has the form itself show that something has changed. */
type Outcome = OwnPageNews | 'form-changed' | undefined;
type Refusal = Omit<Sent, 'typed'>;
export interface Download {
  fileName: string;
  content: string;
}
interface Onward {
  path: string;
}
type Answer = Outcome | Refusal | Download | Onward;
/** What is to be done once she has proven that it is she, or the answer to a press that needs no proof. */
type Asked = Answer | (() => Promise<Answer>);
type Act<Schema extends PressSchema> = (
  press: Press<Omit<v.InferOutput<Schema>, 'token'>>,
) => Asked | Promise<Asked>;

export function createOwnPageContext(dependencies: OwnPageDependencies) {
  const base = createOwnPageBase(dependencies);
  return { ...base, forms: createForms(base) };
}

export type OwnPageContext = ReturnType<typeof createOwnPageContext>;

/** What presses of forms share: who presses, what was sent, the proof that it is she, and the answer. */
function createForms(base: OwnPageBase) {
  const { config, sessions, visits, payments, limiter, news, documents, sendLinkPage, now } = base;
  const before = beforeForm(config.publicUrl);
  const redirect = (res: Response, told?: OwnPageNews, path: string = OWN_PAGE_PATH): void => {
    if (told) news.tell(res, told);
    res.redirect(303, path);
  };
  const refuse = (res: Response, reason: NoActor) => {
    if (reason === 'refused') return redirect(res, 'changed');
    if (reason === 'invalid') sessions.close(res);
    sendLinkPage(res, reason);
  };
  /**
   * What is wrong with the proof that it is she who presses; undefined when it is right. Holding a link to her page is no
   * proof. After ten wrong ones in a day none is accepted; a letter tells her of the third.
   */
  const refute = async ({ record }: Visit, typed: string): Promise<'wrong' | 'spent' | undefined> => {
    // Counted before it is compared, so that attempts at the same time cannot get past the limit.
    if (await limiter.take(['place-proofs', record.id])) return 'spent';
    if (isProof(secondFactorOf(record), typed)) {
      await limiter.giveBack(['place-proofs', record.id]);
      return undefined;
    }
    await recordWrongProof(payments, record, now());
    return 'wrong';
  };
  const whyNotProven = async (visit: Visit, typed = ''): Promise<Refusal | undefined> => {
    // An empty one is no attempt.
    if (typedText(typed) === '') return { errors: { proof: actWords.proofMissing } };
    const refuted = await refute(visit, typed);
    if (refuted === 'spent') return { errors: {}, proofsSpent: true };
    return refuted && { errors: { proof: actWords.notProven[secondFactorOf(visit.record).kind] } };
  };
  const answerTo = async (
    visit: Visit,
    proof: string | undefined,
    act: (record: RegistrationRecord) => Asked | Promise<Asked>,
  ): Promise<Answer> => {
    try {
      const next = await act(visit.record);
      if (typeof next !== 'function') return next;
      return (await whyNotProven(visit, proof)) ?? (await next());
    } catch (error) {
      // Somebody else has changed it meanwhile, who may be herself in another tab.
      if (!(error instanceof AppError) || error.status !== 409) throw error;
      const after = await findRegistration(payments, visit.record.id);
      const next = after && (await act(after));
      return typeof next === 'function' ? 'changed' : next;
    }
  };
  const press = <Schema extends PressSchema>(
    schema: Schema,
    act: Act<Schema>,
    form?: FormName,
  ): RequestHandler[] => [
    ...before,
    async (req, res) => {
      const at = now();
      const { token, ...typed } = readPress(schema, req.body);
      const visit = await visits.findActor(req, token);
      if (typeof visit === 'string') return refuse(res, visit);
      const answer = await answerTo(visit, typed.proof, (record) => act({ record, typed, at }));
      if (answer === 'form-changed') return redirect(res, 'changed', form && formPaths[form]);
      if (typeof answer !== 'object') return redirect(res, answer);
      if ('path' in answer) return res.redirect(303, answer.path);
      if ('content' in answer) {
        res.attachment(answer.fileName).send(answer.content);
        return;
      }
      // What she reads beside the errors is as it is after the press.
      const record = (await findRegistration(payments, visit.record.id)) ?? visit.record;
      const render = form && documents.form(form, { ...visit, record }, at);
      if (!render) return redirect(res, 'changed');
      res.status(answer.proofsSpent ? 429 : 422).type('html');
      res.send(render({ sent: { ...answer, typed } }));
    },
  ];
  return {
    before,
    redirect,
    refuse,
    press,
    submit<Schema extends PressSchema>(
      app: IRouter,
      form: FormName,
      schema: Schema,
      act: Act<Schema>,
      ...onError: ErrorRequestHandler[]
    ): void {
      app.post(formPaths[form], ...press(schema, act, form), ...onError);
    },
  };
}
