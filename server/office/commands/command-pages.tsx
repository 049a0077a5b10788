import { Queue } from 'bullmq';
import type { IRouter, Request, Response } from 'express';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { type LetterQueue, MAIL_QUEUE_NAME } from '#server/mail/queue.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { TO_LIST, Warning, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { queueOn } from '#server/redis/connect-redis.ts';
import { withTimeout } from '#server/service/work.ts';
import { type AuditFacts, signedInOf } from '#server/users/user.ts';
import { messages } from '#shared/registration.ts';
import {
  type Command,
  choicesIn,
  giveCommand,
  mayGive,
  Refusal,
  type RefusalReason,
  type Told,
  type Typed,
} from './command.ts';
import { createCommandContext } from './command-context.ts';
import {
  CommandForm,
  CommandPage,
  CommandPreview,
  letterIn,
  namesOf,
  typedIn,
  WhatIsTold,
} from './command-form.tsx';
import { createNotices } from './notices.tsx';
import type { Subject } from './subjects.ts';

export type CommandDependencies = Omit<
  OfficeDependencies,
  'database' | 'registerProbe' | 'metrics' | 'users'
>;

const STATUS: Readonly<Record<RefusalReason, number>> = {
  failed: 502,
  wrongUsage: 422,
  noSuchMail: 404,
  wrongState: 409,
  redisAway: 503,
};

/**
 * The timeout of a command: some make several requests to Stripe, each with a second attempt. The whole answer stays below
 * the minute for which proxies wait.
 */
const COMMAND_TIMEOUT_MS = 30_000;

const TYPED_BEFORE =
  'You signed in after you had opened this form, so nothing was done. Please look through what you typed, then go on.';

/** A command that is possible now, with what was typed. */
interface Asking<About> {
  command: Command<About>;
  about: About;
  typed: Typed;
}

/** What a press is for, with what the log says if it fails. */
const PRESSES = {
  show: 'A command could not be shown',
  letter: 'A command could not be shown',
  try: 'A command could not be tried out',
  confirm: 'A command of the office failed',
} as const;
type Press = keyof typeof PRESSES;

/** What the pages with commands share: how a page is sent, what commands need, what was done, and their forms. */
export function createCommandPages(dependencies: CommandDependencies) {
  const { assets, redis, audit, logger } = dependencies;
  const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const context = createCommandContext({ ...dependencies, queue });
  const notices = createNotices(redis);
  const send = pageSender(assets);

  /**
   * The forms of a subject's commands. What will happen is shown first, with the version of the subject, which is sent with
   * the press that does it; the result is shown on the subject's page.
   */
  function addCommands<About>(router: IRouter, subject: Subject<About>): void {
    const show = async (req: Request, res: Response): Promise<void> => {
      const typed = typedIn(req);
      const asking = await ask(req, res, typed);
      if (!asking) return;
      // A command without fields has no form: what will happen is shown at once.
      if (namesOf(asking.command).length === 0) await carryOn(req, res, asking, 'show');
      else if (Object.keys(typed).length > 0) sendForm(req, res, 200, asking, { problem: TYPED_BEFORE });
      else sendForm(req, res, 200, { ...asking, typed: chosenIn(req, asking) });
    };
    const press = async (req: Request, res: Response): Promise<void> => {
      const typed = typedIn(req);
      const asking = await ask(req, res, typed);
      if (!asking) return;
      const { step } = typed;
      if (step === 'edit') return sendForm(req, res, 200, asking);
      const isLess = step === 'letter' || step === 'try';
      const isConfirmed = step === 'confirm' && typed.seen !== undefined;
      await carryOn(req, res, asking, isLess ? step : isConfirmed ? 'confirm' : 'show');
    };

    /**
     * Sends the answer itself, and returns undefined, if there is no such subject or command, it is not for the user, or not
     * possible now.
     */
    const ask = async (req: Request, res: Response, typed: Typed): Promise<Asking<About> | undefined> => {
      const command = subject.commands.find(({ id }) => id === req.params.act);
      if (!command) return send(res, 404, 'There is no such command', <WayBack {...TO_LIST} />);
      if (!mayGive(signedInOf(res).user, command)) {
        audited(req, res, command, 'refused');
        return send(res, 403, 'This is for support', <WayBack {...TO_LIST}>{NOT_YOURS}</WayBack>);
      }
      const about = await subject.find(context, keyIn(req)).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return send(res, STATUS[error.reason], error.message.replace(/\.$/, ''), <WayBack {...TO_LIST} />);
      });
      const why = about && command.refuses(about);
      if (about && why === undefined) return { command, about, typed };
      if (about)
        send(
          res,
          409,
          command.heading,
          <CommandPage subject={subjectOf(about)}>
            <Warning>This is not possible now, and nothing was done. {why}</Warning>
          </CommandPage>,
        );
      return undefined;
    };

    /** Does what a press is for; if that fails, shows the form again with the reason. */
    const carryOn = async (
      req: Request,
      res: Response,
      asking: Asking<About>,
      pressed: Press,
    ): Promise<void> => {
      const { command, about, typed } = asking;
      const { user } = signedInOf(res);
      const prepared = command.prepare(typed, about);
      if ('errors' in prepared) return sendForm(req, res, 422, asking, { errors: prepared.errors });
      const call = { about, by: user.name, context };
      const isConfirmed = pressed === 'confirm';
      const run = async (): Promise<Told> =>
        giveCommand(await prepared.plan(call), subject.version(about), {
          isTried: !isConfirmed,
          seen: typed.seen,
          context,
        });
      const preview = (told: Told, tried?: string): void => {
        const page = { ...propsOf(req, res, asking), told, button: prepared.button, tried };
        send(res, told.outcome === 'changed' ? 409 : 200, command.heading, <CommandPreview {...page} />);
      };
      try {
        const tried =
          pressed === 'try' && prepared.tryOut
            ? await withTimeout(prepared.tryOut(call), COMMAND_TIMEOUT_MS)
            : undefined;
        if (tried !== undefined) audited(req, res, command, 'tried');
        const told = await withTimeout(run(), COMMAND_TIMEOUT_MS);
        if (isConfirmed) audited(req, res, command, told.outcome);
        const letter = pressed === 'letter' ? letterIn(told) : undefined;
        if (told.outcome === 'done') await showDone(res, asking, told);
        else if (letter) sendLetter(res, letter.html);
        else preview(told, tried);
      } catch (error) {
        const { status, problem } = problemOf(error, isConfirmed || pressed === 'try');
        if (isConfirmed) audited(req, res, command, status >= 500 ? 'failed' : 'refused');
        if (status >= 500)
          logger.error(
            { err: causeOf(error), command: command.id, [subject.audit]: keyIn(req) },
            PRESSES[pressed],
          );
        sendForm(req, res, status, asking, { problem });
      }
    };
    const showDone = async (res: Response, { command, about }: Asking<About>, told: Told): Promise<void> => {
      const says = told.says.filter((said) => !(typeof said === 'object' && 'letter' in said));
      const notice = { heading: command.heading, says, by: signedInOf(res).user.name };
      const name = command.tellsSecret ? undefined : await notices.keep(notice);
      const { path, ...back } = subject.backTo(about);
      const to = told.made === undefined ? path : officePaths.registration(told.made);
      if (name !== undefined) return res.redirect(303, `${to}?told=${name}`);
      // It is a secret, or Redis is away: the page of its subject cannot show it.
      send(
        res,
        200,
        command.heading,
        <CommandPage subject={{ name: subject.nameOf(about), path: to, ...back }}>
          <WhatIsTold title="Done" says={told.says} />
        </CommandPage>,
      );
    };

    const subjectOf = (about: About) => ({ name: subject.nameOf(about), ...subject.backTo(about) });
    const audited = (
      req: Request,
      res: Response,
      command: Command<About>,
      outcome: NonNullable<AuditFacts['outcome']>,
    ): void => audit(signedInOf(res).user, command.id, { [subject.audit]: keyIn(req), outcome });
    const propsOf = (req: Request, res: Response, { command, about, typed }: Asking<About>) => ({
      command,
      about,
      typed,
      action: subject.pathOf(keyIn(req), command.id),
      subject: subjectOf(about),
      signedIn: signedInOf(res),
    });
    const sendForm = (
      req: Request,
      res: Response,
      status: number,
      asking: Asking<About>,
      wrong: { errors?: Readonly<Record<string, string>>; problem?: string } = {},
    ): void =>
      send(res, status, asking.command.heading, <CommandForm {...propsOf(req, res, asking)} {...wrong} />);

    router.get(subject.pathOf(':key', ':act'), show);
    router.post(subject.pathOf(':key', ':act'), press);
  }
  return { context, notices, send, addCommands };
}

const keyIn = ({ params }: Request): string => String(params.key);

const NOT_YOURS = 'Only support may do this. Nothing was done.';

/** A link to a form may choose for the user; nothing else is taken from it. */
function chosenIn<About>({ query }: Request, { command, about }: Asking<About>): Typed {
  const chosen = Object.entries(command.fields).flatMap(([name, field]) =>
    (choicesIn(field, about) ?? []).flatMap(({ value }) => (query[name] === value ? [[name, value]] : [])),
  );
  return Object.fromEntries(chosen);
}

/** A letter has its styles within it, and nothing else: it can neither run anything nor load anything. */
const LETTER_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

function sendLetter(res: Response, html: string): void {
  res.set('Cache-Control', 'no-store').set('Content-Security-Policy', LETTER_POLICY).type('html').send(html);
}

/** What went wrong, as a sentence. With `wasBegun` it is not known how far the command came. */
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
