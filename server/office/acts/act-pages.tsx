import { Queue } from 'bullmq';
import type { IRouter, Request, RequestHandler, Response } from 'express';
import {
  choicesIn,
  mayDo,
  type OfficeAct,
  Refusal,
  type RefusalReason,
  recordedFor,
  type Told,
  type Typed,
} from '#server/acts/act.ts';
import { createActContext } from '#server/acts/act-context.ts';
import { sentence } from '#server/acts/words.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { type LetterQueue, MAIL_QUEUE_NAME } from '#server/mail/queue.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender, TO_LIST, Warning, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { queueOn } from '#server/redis/connect-redis.ts';
import { withTimeout } from '#server/service/work.ts';
import { type AuditFacts, signedInOf } from '#server/users/user.ts';
import { messages } from '#shared/registration.ts';
import {
  ActForm,
  ActPage,
  ActPreview,
  type ActSubject,
  letterIn,
  namesOf,
  typedIn,
  WhatIsTold,
} from './act-form.tsx';
import { createNotices } from './notices.tsx';

export type ActPagesDependencies = Omit<
  OfficeDependencies,
  'database' | 'registerProbe' | 'metrics' | 'users'
>;

interface ActsOn<About, Of> {
  acts: readonly OfficeAct<About, Of>[];
  /** The path of the form of an act; with the names of its parameters, `:key` and `:act`, that of its route. */
  pathOf(key: string, act: string): string;
  /** The current state of the subject; sends the answer itself, and returns undefined, if nobody can act on it. */
  actable(req: Request, res: Response): Promise<About | undefined>;
  /** How a situation is named in paths and to acts. */
  keyOf(situation: About): string;
  of(situation: About): Of;
  subjectOf(situation: About): ActSubject;
  factsOf(key: string): AuditFacts;
  /** Before the ID of an act, in the log. */
  auditedAs?: string;
}

const STATUS: Readonly<Record<RefusalReason, number>> = {
  failed: 502,
  wrongUsage: 422,
  noSuchMail: 404,
  wrongState: 409,
  redisAway: 503,
};

/**
 * The timeout of an act: several requests to Stripe, each with a second attempt. The whole answer stays below the
 * minute for which proxies wait.
 */
const ACT_TIMEOUT_MS = 30_000;

const NOT_YOURS = <WayBack {...TO_LIST}>Only support may do this. Nothing was done.</WayBack>;

const TYPED_BEFORE =
  'You signed in after you had opened this form, so nothing was done. Please look through what you typed, then go on.';

/** A requested act that is possible now. */
interface Asking<About, Of> {
  act: OfficeAct<About, Of>;
  shown: About;
  typed: Typed;
}

/** What a press is for, with what the log says if it fails. */
const PRESSES = {
  show: 'An act could not be tried',
  letter: 'An act could not be tried',
  try: 'An act could not be tried out',
  confirm: 'An act of the office failed',
} as const;
type Press = keyof typeof PRESSES;

/** What the pages with acts share: how a page is sent, what acts need, what was done, and the forms of acts. */
export function createActPages(dependencies: ActPagesDependencies) {
  const { assets, redis, audit, logger } = dependencies;
  const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const context = createActContext({ ...dependencies, queue });
  const notices = createNotices(redis);
  const send = pageSender(assets);

  /**
   * The forms of acts: a dry run shows what will happen, and a digest of that is sent with the press that does it. The
   * result of an act is shown on the page of its subject.
   */
  function addActs<About extends object, Of>(
    router: IRouter,
    { acts, pathOf, actable, keyOf, of, subjectOf, factsOf, auditedAs = '' }: ActsOn<About, Of>,
    ...before: RequestHandler[]
  ): void {
    const form: RequestHandler = async (req, res) => {
      const typed = typedIn(req);
      const asking = await ask(req, res, typed);
      if (!asking) return;
      // An act without fields has no form: what will happen is shown at once.
      if (namesOf(asking.act).length === 0) await carryOn(res, asking, 'show');
      else if (Object.keys(typed).length > 0) sendForm(res, 200, asking, { problem: TYPED_BEFORE });
      else sendForm(res, 200, { ...asking, typed: chosenIn(req, asking) });
    };
    const press: RequestHandler = async (req, res) => {
      const typed = typedIn(req);
      const asking = await ask(req, res, typed);
      if (!asking) return;
      const { step } = typed;
      if (step === 'edit') sendForm(res, 200, asking);
      else if (step === 'letter' || step === 'try') await carryOn(res, asking, step);
      else await carryOn(res, asking, step === 'confirm' && typed.seen !== undefined ? 'confirm' : 'show');
    };
    /** A link to a form may choose for the user; nothing else is taken from it. */
    const chosenIn = ({ query }: Request, { act, shown }: Asking<About, Of>): Typed => {
      const chosen = Object.entries(act.fields).flatMap(([name, field]) =>
        (choicesIn(field, shown) ?? []).flatMap(({ value }) =>
          query[name] === value ? [[name, value]] : [],
        ),
      );
      return Object.fromEntries(chosen);
    };

    /**
     * Sends the answer itself, and returns undefined, if the act is unknown, not allowed for the user, or not possible
     * now.
     */
    const ask = async (req: Request, res: Response, typed: Typed): Promise<Asking<About, Of> | undefined> => {
      const { user } = signedInOf(res);
      const act = acts.find(({ id }) => id === req.params.act);
      if (!act) {
        send(res, 404, 'There is no such act', <WayBack {...TO_LIST} />);
        return undefined;
      }
      if (!mayDo(user, act)) {
        audit(user, auditedAs + act.id, { ...factsOf(String(req.params.key)), outcome: 'refused' });
        send(res, 403, 'This is for support', NOT_YOURS);
        return undefined;
      }
      const shown = await actable(req, res);
      if (!shown) return undefined;
      const whyNot = act.whyNot(shown);
      if (whyNot === undefined) return { act, shown, typed };
      const page = (
        <ActPage subject={subjectOf(shown)}>
          <Warning>This is not possible now, and nothing was done. {sentence(whyNot)}</Warning>
        </ActPage>
      );
      send(res, 409, act.heading, page);
      return undefined;
    };

    /** Does what a press is for; if that fails, shows the form again with the reason. */
    const carryOn = async (res: Response, asking: Asking<About, Of>, pressed: Press): Promise<void> => {
      const { act, shown, typed } = asking;
      const { user } = signedInOf(res);
      const prepared = act.prepare(typed, shown);
      if ('errors' in prepared) return sendForm(res, 422, asking, { errors: prepared.errors });
      // `prepare` has checked that the letter is one of hers.
      const facts = { ...factsOf(keyOf(shown)), ...('letter' in act.fields && { mail: typed.letter }) };
      const run = async (isTried: boolean) => {
        const asked = { by: user.name, 'dry-run': isTried, ...(!isTried && { seen: typed.seen }) };
        return withTimeout(prepared.run(context, of(shown), asked), ACT_TIMEOUT_MS);
      };
      const preview = (told: Told, tried?: string): void => {
        const form = { ...propsOf(res, asking), told, confirm: prepared.confirm(told, shown), tried };
        send(res, told.outcome === 'changed' ? 409 : 200, act.heading, <ActPreview {...form} />);
      };
      const isConfirmed = pressed === 'confirm';
      try {
        if (isConfirmed) {
          const told = await run(false);
          const outcome = told.outcome === 'done' ? 'done' : 'changed';
          audit(user, auditedAs + act.id, { ...facts, outcome });
          if (outcome === 'changed') return preview(told);
          return await showDone(res, asking, told);
        }
        if (pressed === 'try' && prepared.tryOut) {
          const tried = await withTimeout(prepared.tryOut(context, of(shown), user.name), ACT_TIMEOUT_MS);
          audit(user, auditedAs + act.id, { ...factsOf(keyOf(shown)), outcome: 'tried' });
          return preview(await run(true), tried);
        }
        const told = await run(true);
        const letter = pressed === 'letter' ? letterIn(told) : undefined;
        if (letter) sendLetter(res, letter.html);
        else preview(told);
      } catch (error) {
        const { status, problem } = problemOf(error, isConfirmed || pressed === 'try');
        if (isConfirmed)
          audit(user, auditedAs + act.id, { ...facts, outcome: status >= 500 ? 'failed' : 'refused' });
        if (status >= 500) logger.error({ err: causeOf(error), act: act.id, ...facts }, PRESSES[pressed]);
        sendForm(res, status, asking, { problem });
      }
    };
    const showDone = async (res: Response, { act, shown }: Asking<About, Of>, told: Told): Promise<void> => {
      const { user } = signedInOf(res);
      const notice = { heading: act.heading, says: saidBy(user.name, told), by: user.name };
      const name = act.tellsSecret ? undefined : await notices.keep(notice);
      if (name === undefined) {
        // It is a secret, or Redis is away: the page of its subject cannot show it.
        const page = (
          <ActPage subject={subjectOf(shown)}>
            <WhatIsTold title="Done" says={told.says} />
          </ActPage>
        );
        return send(res, 200, act.heading, page);
      }
      const { leadsTo } = told;
      const path = leadsTo === undefined ? subjectOf(shown).path : officePaths.registration(leadsTo);
      res.redirect(303, `${path}?told=${name}`);
    };

    const propsOf = (res: Response, { act, shown, typed }: Asking<About, Of>) => ({
      act,
      typed,
      situation: shown,
      action: pathOf(keyOf(shown), act.id),
      subject: subjectOf(shown),
      signedIn: signedInOf(res),
    });
    const sendForm = (
      res: Response,
      status: number,
      asking: Asking<About, Of>,
      wrong: { errors?: Readonly<Record<string, string>>; problem?: string } = {},
    ): void => send(res, status, asking.act.heading, <ActForm {...propsOf(res, asking)} {...wrong} />);

    router.get(pathOf(':key', ':act'), ...before, form);
    router.post(pathOf(':key', ':act'), ...before, press);
  }
  return { context, notices, send, addActs };
}

/** A letter has its styles within it, and nothing else: it can neither run anything nor load anything. */
const LETTER_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

function sendLetter(res: Response, html: string): void {
  res.set('Cache-Control', 'no-store').set('Content-Security-Policy', LETTER_POLICY).type('html').send(html);
}

/**
 * What the notice shows: without the user's name, which it shows separately, and without the text of a letter, which
 * was read before it was sent.
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
      ? 'Stripe or the queue of messages did not answer, and it is not known whether this was done. Look before you try again.'
      : 'Stripe or the queue of messages does not answer now. Nothing was done. Please try again in a while.',
  };
}
