import type { Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { ActContext } from '#server/acts/act-context.ts';
import { recordedFor, type Told } from '#server/acts/carry-out.ts';
import { sentence } from '#server/acts/plain-words.ts';
import { Refusal, type RefusalReason } from '#server/acts/refusal.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { officePaths } from '#server/office/paths.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import type { Audit, AuditFacts } from '#server/users/audit.ts';
import { signedInOf } from '#server/users/user.ts';
import { messages } from '#shared/registration.ts';
import {
  ActDone,
  ActForm,
  ActNotPossible,
  ActPreview,
  type ActSubject,
  letterIn,
  namesOf,
} from './act-form.tsx';
import type { SendPage } from './dependencies.ts';
import type { Notices } from './notices.ts';
import { mayDo, type OfficeAct, type Typed } from './office-act.ts';

interface ActRoutesDependencies<About> {
  acts: readonly OfficeAct<About>[];
  context: ActContext;
  notices: Notices;
  send: SendPage;
  audit: Audit;
  logger: Logger;
  /**
   * The current state of the subject; sends the answer itself, and returns undefined, if nobody can act on
   * it.
   */
  actable(req: Request, res: Response): Promise<About | undefined>;
  subjectOf(situation: About): ActSubject;
  actionOf(situation: About, act: string): string;
  /** The ids for the log, from the request or, once the subject was found, from the subject. */
  factsOf(asked: Request | About): AuditFacts;
  /** Called before the page that shows the result of an act. */
  settle?(situation: About): Promise<void>;
}

const STATUS: Readonly<Record<RefusalReason, number>> = {
  failed: 502,
  wrongUsage: 422,
  noSuchMail: 404,
  wrongState: 409,
  redisAway: 503,
};

/**
 * The timeout of an act: several requests to Stripe, each with a second attempt. The whole answer stays below
 * the minute for which proxies wait.
 */
const ACT_TIMEOUT_MS = 30_000;

const bodySchema = v.record(v.string(), v.string());

/** A requested act that is possible now. */
interface Asking<About> {
  act: OfficeAct<About>;
  shown: About;
  typed: Typed;
}

/**
 * The forms of all acts: a dry run shows what will happen, and a digest of that is sent with the press that
 * does it. The result of an act is shown on the page of its subject.
 */
export function createActRoutes<About extends object>(
  dependencies: ActRoutesDependencies<About>,
): Record<'show' | 'press', RequestHandler> {
  const { acts, context, notices, send, audit, logger, actable, subjectOf, actionOf, factsOf, settle } =
    dependencies;

  const show: RequestHandler = async (req, res) => {
    const asking = await ask(req, res, {});
    if (!asking) return;
    // An act without fields has no form: what will happen is shown at once.
    if (namesOf(asking.act).length === 0) await preview(res, asking);
    else sendForm(res, 200, { ...asking, typed: chosenIn(req, asking) });
  };
  const press: RequestHandler = async (req, res) => {
    const body = v.safeParse(bodySchema, req.body ?? {});
    const typed = body.success ? body.output : {};
    const asking = await ask(req, res, typed);
    if (!asking) return;
    if (typed.step === 'edit') sendForm(res, 200, asking);
    else if (typed.step === 'confirm' && typed.seen !== undefined) await confirm(res, asking, typed.seen);
    else if (typed.step === 'try') await tryOut(res, asking);
    else await preview(res, asking, typed.step === 'letter' ? { asEmail: true } : {});
  };
  /** A link to a form may choose for the user; nothing else is taken from it. */
  const chosenIn = ({ query }: Request, { act, shown }: Asking<About>): Typed => {
    const chosen = Object.entries(act.fields).flatMap(([name, { choices }]) =>
      (choices?.(shown) ?? []).flatMap(({ value }) => (query[name] === value ? [[name, value]] : [])),
    );
    return Object.fromEntries(chosen);
  };

  /**
   * Sends the answer itself, and returns undefined, if the act is unknown, not allowed for the user, or not
   * possible now.
   */
  const ask = async (req: Request, res: Response, typed: Typed): Promise<Asking<About> | undefined> => {
    const { user } = signedInOf(res);
    const act = acts.find(({ id }) => id === req.params.act);
    if (!act) {
      send(res, 404, 'There is no such act', <BackToList />);
      return undefined;
    }
    if (!mayDo(user, act)) {
      audit(user, act.id, { ...factsOf(req), outcome: 'refused' });
      send(res, 403, 'This is for support', <NotYours />);
      return undefined;
    }
    const shown = await actable(req, res);
    if (!shown) return undefined;
    const whyNot = act.whyNot(shown);
    if (whyNot === undefined) return { act, shown, typed };
    send(res, 409, act.heading, <ActNotPossible subject={subjectOf(shown)} why={sentence(whyNot)} />);
    return undefined;
  };

  const preview = async (
    res: Response,
    { act, shown, typed }: Asking<About>,
    { asEmail = false, tried }: { asEmail?: boolean; tried?: string } = {},
  ): Promise<void> => {
    const prepared = act.prepare(typed, shown);
    if ('errors' in prepared) return sendForm(res, 422, { act, shown, typed }, { errors: prepared.errors });
    try {
      const asked = { by: signedInOf(res).user.name, 'dry-run': true };
      const told = await withTimeout(prepared.run(context, asked), ACT_TIMEOUT_MS);
      const letter = asEmail ? letterIn(told) : undefined;
      if (letter) sendLetter(res, letter.html);
      else sendPreview(res, { act, shown, typed }, told, prepared.confirm(told), tried);
    } catch (error) {
      const { status, problem } = problemOf(error, false);
      if (status >= 500) logger.error({ err: causeOf(error), act: act.id }, 'An act could not be tried');
      sendForm(res, status, { act, shown, typed }, { problem });
    }
  };

  const tryOut = async (res: Response, asking: Asking<About>): Promise<void> => {
    const { act, shown, typed } = asking;
    const { user } = signedInOf(res);
    const prepared = act.prepare(typed, shown);
    if ('errors' in prepared || !prepared.tryOut) return preview(res, asking);
    try {
      const tried = await withTimeout(prepared.tryOut(context, user.name), ACT_TIMEOUT_MS);
      audit(user, act.id, { ...factsOf(shown), outcome: 'tried' });
      await preview(res, asking, { tried });
    } catch (error) {
      const { status, problem } = problemOf(error, true);
      logger.error({ err: causeOf(error), act: act.id }, 'An act could not be tried out');
      sendForm(res, status, asking, { problem });
    }
  };

  const confirm = async (
    res: Response,
    { act, shown, typed }: Asking<About>,
    seen: string,
  ): Promise<void> => {
    const { user } = signedInOf(res);
    const prepared = act.prepare(typed, shown);
    if ('errors' in prepared) return sendForm(res, 422, { act, shown, typed }, { errors: prepared.errors });
    // `prepare` has checked that the letter is one of hers.
    const facts = { ...factsOf(shown), ...('letter' in act.fields && { mail: typed.letter }) };
    try {
      const asked = { by: user.name, 'dry-run': false, seen };
      const told = await withTimeout(prepared.run(context, asked), ACT_TIMEOUT_MS);
      audit(user, act.id, { ...facts, outcome: told.outcome === 'done' ? 'done' : 'changed' });
      if (told.outcome === 'changed')
        return sendPreview(res, { act, shown, typed }, told, prepared.confirm(told));
      await settle?.(shown);
      const notice = { heading: act.heading, says: saidBy(user.name, told), by: user.name };
      const name = act.tellsSecret ? undefined : await notices.keep(notice);
      if (name === undefined) send(res, 200, act.heading, <ActDone subject={subjectOf(shown)} told={told} />);
      else {
        const { leadsTo } = told;
        const path = leadsTo === undefined ? subjectOf(shown).path : officePaths.registration(leadsTo);
        res.redirect(303, `${path}?told=${name}`);
      }
    } catch (error) {
      const { status, problem } = problemOf(error, true);
      audit(user, act.id, { ...facts, outcome: status >= 500 ? 'failed' : 'refused' });
      if (status >= 500)
        logger.error({ err: causeOf(error), act: act.id, ...facts }, 'An act of the office failed');
      sendForm(res, status, { act, shown, typed }, { problem });
    }
  };

  const propsOf = (res: Response, { act, shown, typed }: Asking<About>) => ({
    ...{ act, typed, situation: shown },
    action: actionOf(shown, act.id),
    subject: subjectOf(shown),
    signedIn: signedInOf(res),
  });
  const sendForm = (
    res: Response,
    status: number,
    { act, shown, typed }: Asking<About>,
    wrong: { errors?: Readonly<Record<string, string>>; problem?: string } = {},
  ): void => {
    const form = { ...propsOf(res, { act, shown, typed }), ...wrong };
    send(res, status, act.heading, <ActForm {...form} />);
  };
  const sendPreview = (
    res: Response,
    { act, shown, typed }: Asking<About>,
    told: Told,
    words: string,
    tried?: string,
  ): void => {
    const form = { ...propsOf(res, { act, shown, typed }), told, confirm: words, tried };
    send(res, told.outcome === 'changed' ? 409 : 200, act.heading, <ActPreview {...form} />);
  };
  return { show, press };
}

/** A letter has its styles within it, and nothing else: it can neither run anything nor load anything. */
const LETTER_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

function sendLetter(res: Response, html: string): void {
  res.set('Cache-Control', 'no-store').set('Content-Security-Policy', LETTER_POLICY).type('html').send(html);
}

/**
 * What the notice shows: without the user's name, which it shows separately, and without the text of a
 * letter, which was read before it was sent.
 */
function saidBy(name: string, { says }: Told): Told['says'] {
  return says.filter((said) => said !== recordedFor(name) && !(typeof said === 'object' && 'letter' in said));
}

/** What went wrong, as a sentence. With `wasBegun` it is not known how far the act came. */
function problemOf(error: unknown, wasBegun: boolean): { status: number; problem: string } {
  if (error instanceof Refusal) return { status: STATUS[error.reason], problem: error.message };
  if (error instanceof AppError && error.message !== messages.unexpected)
    return { status: error.status, problem: `${error.message}.` };
  return {
    status: 502,
    problem: wasBegun
      ? 'Stripe or the queue of letters did not answer, and it is not known whether this was done. Look before you try again.'
      : 'Stripe or the queue of letters does not answer now. Nothing was done. Please try again in a while.',
  };
}

function BackToList() {
  return (
    <p>
      <a href={officePaths.list}>Back to all registrations</a>
    </p>
  );
}

function NotYours() {
  return (
    <>
      <p>Only support may do this. Nothing was done.</p>
      <BackToList />
    </>
  );
}
