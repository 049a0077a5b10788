import { Queue } from 'bullmq';
import type { IRouter, Request, Response } from 'express';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { type LetterQueue, MAIL_QUEUE_NAME } from '#server/mail/queue.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { TO_LIST, Warning, WayBack } from '#server/office/parts.tsx';
import { queueOn } from '#server/redis/connect-redis.ts';
import { withTimeout } from '#server/service/work.ts';
import { type AuditFacts, signedInOf } from '#server/users/user.ts';
import { messages } from '#shared/registration.ts';
import { type Command, choicesIn, mayGive, Refusal, type RefusalReason, type Typed } from './command.ts';
import { createCommandContext } from './command-context.ts';
import {
  CommandForm,
  CommandPage,
  CommandPreview,
  DonePage,
  letterIn,
  namesOf,
  typedIn,
} from './command-form.tsx';
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

/** What a press is for, with what the log says if it fails. */
const PRESSES = {
  show: 'A command could not be shown',
  letter: 'A command could not be shown',
  try: 'A command could not be tried out',
  confirm: 'A command of the office failed',
} as const;
type Press = keyof typeof PRESSES;

/** What the pages with commands share: how a page is sent, what commands need, and their forms. */
export function createCommandPages(dependencies: CommandDependencies) {
  const { assets, redis, audit, logger } = dependencies;
  const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const context = createCommandContext({ ...dependencies, queue });
  const send = pageSender(assets);

  /**
   * The forms of a subject's commands. What will happen is shown first, with a version that is sent with the press that does
   * it; that press is answered with what was done.
   */
  function addCommands<About>(router: IRouter, subject: Subject<About>): void {
    /**
     * Sends the answer itself, and returns undefined, if there is no such subject or command, it is not for the user, or not
     * possible now.
     */
    const ask = async (req: Request, res: Response) => {
      const key = String(req.params.key);
      const signedIn = signedInOf(res);
      const command = subject.commands.find(({ id }) => id === req.params.act);
      if (!command) return send(res, 404, 'There is no such command', <WayBack {...TO_LIST} />);
      const audited = (outcome: NonNullable<AuditFacts['outcome']>): void =>
        audit(signedIn.user, command.id, { [subject.audit]: key, outcome });
      if (!mayGive(signedIn.user, command)) {
        audited('refused');
        return send(res, 403, 'This is for support', <WayBack {...TO_LIST}>{NOT_YOURS}</WayBack>);
      }
      const about = await subject.find(context, key).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return send(res, STATUS[error.reason], error.message.replace(/\.$/, ''), <WayBack {...TO_LIST} />);
      });
      if (!about) return undefined;
      const links = { name: subject.nameOf(about), ...subject.backTo(about, key) };
      const why = command.refuses(about);
      if (why !== undefined) {
        const refused = <Warning>This is not possible now, and nothing was done. {why}</Warning>;
        return send(res, 409, command.heading, <CommandPage subject={links}>{refused}</CommandPage>);
      }
      const action = subject.pathOf(key, command.id);
      const props = { command, about, action, subject: links, signedIn, typed: typedIn(req) };
      return {
        props,
        key,
        audited,
        form: (status: number, more: { errors?: Typed; problem?: string; typed?: Typed } = {}) =>
          send(res, status, command.heading, <CommandForm {...props} {...more} />),
      };
    };
    type Asked = NonNullable<Awaited<ReturnType<typeof ask>>>;

    /** Does what a press is for; if that fails, shows the form again with the reason. */
    const carryOn = async (res: Response, asked: Asked, pressed: Press): Promise<void> => {
      const { props, key, audited } = asked;
      const { command, about, typed, signedIn, subject: links } = props;
      const prepared = command.prepare(typed, about);
      if ('errors' in prepared) return asked.form(422, prepared);
      const by = signedIn.user.name;
      const call = { about, by, context };
      const isConfirmed = pressed === 'confirm';
      try {
        const tried = pressed === 'try' && prepared.tryOut ? await inTime(prepared.tryOut(call)) : undefined;
        if (tried !== undefined) audited('tried');
        const told = await inTime(prepared.give(call, { isTried: !isConfirmed, seen: typed.seen }));
        if (isConfirmed) audited(told.outcome);
        const letter = pressed === 'letter' ? letterIn(told) : undefined;
        if (letter) sendLetter(res, letter.html);
        else if (told.outcome === 'done')
          send(res, 200, `Done: ${command.heading}`, <DonePage {...told} by={by} subject={links} />);
        else {
          const shown = { told, button: prepared.button, tried };
          const status = told.outcome === 'changed' ? 409 : 200;
          send(res, status, command.heading, <CommandPreview {...props} {...shown} />);
        }
      } catch (error) {
        const { status, problem } = problemOf(error, isConfirmed || pressed === 'try');
        if (isConfirmed) audited(status >= 500 ? 'failed' : 'refused');
        if (status >= 500)
          logger.error({ err: causeOf(error), command: command.id, [subject.audit]: key }, PRESSES[pressed]);
        asked.form(status, { problem });
      }
    };

    router.get(subject.pathOf(':key', ':act'), async (req, res) => {
      const asked = await ask(req, res);
      if (!asked) return;
      // A command without fields has no form: what will happen is shown at once.
      if (namesOf(asked.props.command).length === 0) await carryOn(res, asked, 'show');
      else if (Object.keys(asked.props.typed).length > 0) asked.form(200, { problem: TYPED_BEFORE });
      else asked.form(200, { typed: chosenIn(req, asked.props) });
    });
    router.post(subject.pathOf(':key', ':act'), async (req, res) => {
      const asked = await ask(req, res);
      if (!asked) return;
      const { step, seen } = asked.props.typed;
      if (step === 'edit') return asked.form(200);
      const isConfirmed = step === 'confirm' && seen !== undefined;
      const isOther = step === 'letter' || step === 'try';
      await carryOn(res, asked, isOther ? step : isConfirmed ? 'confirm' : 'show');
    });
  }
  return { context, send, addCommands };
}

const inTime = <Result,>(work: Promise<Result>): Promise<Result> => withTimeout(work, COMMAND_TIMEOUT_MS);

const NOT_YOURS = 'Only support may do this. Nothing was done.';

/** A link to a form may choose for the user; nothing else is taken from it. */
function chosenIn<About>(
  { query }: Request,
  { command, about }: { command: Command<About>; about: About },
): Typed {
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
