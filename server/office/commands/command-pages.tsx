import type { IRouter, Request, Response } from 'express';
import * as v from 'valibot';
import type { Office } from '#server/office/office.ts';
import { Warning, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { type AuditFacts, signedInOf } from '#server/office/users/user.ts';
import { withTimeout } from '#server/ops/work.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import { messages } from '#shared/registration.ts';
import { type Command, choicesIn, mayGive, Refusal, type Typed } from './command.ts';
import { CommandForm, CommandPage, CommandPreview, DonePage } from './command-views.tsx';
import { type Subject, withSubjects } from './subjects.ts';

const STATUS: Readonly<Record<Refusal['reason'], number>> = {
  failed: 502,
  wrongUsage: 422,
  notFound: 404,
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

/** The forms of all commands. What will happen is shown first, with a version that is sent with the press that does it. */
export function addCommandPages(router: IRouter, office: Office): void {
  withSubjects((subject) => {
    router.all(subject.pathOf(':key', ':act'), (req, res) => answer(req, res, office, subject));
  });
}

async function answer<About>(
  req: Request,
  res: Response,
  office: Office,
  subject: Subject<About>,
): Promise<void> {
  const { send, audit } = office;
  const key = String(req.params.key);
  const signedIn = signedInOf(res);
  const { user } = signedIn;
  const command = subject.commands.find(({ id }) => id === req.params.act);
  const toList = <WayBack path={officePaths.list} back="Back to all people" />;
  if (!command) return send(res, 404, 'There is no such command', toList);
  const audited = (outcome: NonNullable<AuditFacts['outcome']>): void =>
    audit(user, command.id, { [subject.audit]: key, outcome });
  if (!mayGive(user, command)) {
    audited('refused');
    const refused = (
      <>
        <p>Only support may do this. Nothing was done.</p>
        {toList}
      </>
    );
    return send(res, 403, 'This is for support', refused);
  }
  const about = await subject.find(office, key).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    return send(res, STATUS[error.reason], error.message.replace(/\.$/, ''), toList);
  });
  if (!about) return;
  const typed = typedIn(req);
  const action = subject.pathOf(key, command.id);
  const links = { name: subject.nameOf(about), ...subject.backTo(about, key) };
  const props = { command, about, action, subject: links, signedIn, typed };
  const form = (status: number, more: { errors?: Typed; problem?: string; typed?: Typed } = {}) =>
    send(res, status, command.heading, <CommandForm {...props} {...more} />);

  const why = command.refuses(about);
  if (why !== undefined) {
    const refused = <Warning>This is not possible now, and nothing was done. {why}</Warning>;
    return send(res, 409, command.heading, <CommandPage subject={links}>{refused}</CommandPage>);
  }
  const isPress = req.method === 'POST';
  if (isPress && typed.step === 'edit') return form(200);
  // A command without fields has no form: what will happen is shown at once.
  if (!isPress && Object.keys(command.fields).length > 0)
    return form(
      200,
      Object.keys(typed).length > 0 ? { problem: TYPED_BEFORE } : { typed: chosenIn(req, command, about) },
    );
  const prepared = command.prepare(typed, about);
  if ('errors' in prepared) return form(422, prepared);
  const call = { about, by: user.name, context: office };
  const isConfirmed = isPress && typed.step === 'confirm' && typed.seen !== undefined;
  const tryOut = isPress && typed.step === 'try' ? prepared.tryOut : undefined;
  try {
    const tried = tryOut && (await inTime(tryOut(call)));
    if (tried !== undefined) audited('tried');
    const told = await inTime(prepared.give(call, { isTried: !isConfirmed, seen: typed.seen }));
    if (isConfirmed) audited(told.outcome);
    if (told.outcome === 'done')
      return send(
        res,
        200,
        `Done: ${command.heading}`,
        <DonePage {...told} by={user.name} subject={links} />,
      );
    const shown = { told, button: prepared.button, tried };
    const status = told.outcome === 'changed' ? 409 : 200;
    send(res, status, command.heading, <CommandPreview {...props} {...shown} />);
  } catch (error) {
    const { status, problem } = problemOf(error, isConfirmed || tryOut !== undefined);
    if (isConfirmed) audited(status >= 500 ? 'failed' : 'refused');
    const facts = { err: causeOf(error), command: command.id, [subject.audit]: key, isConfirmed };
    if (status >= 500) office.logger.error(facts, 'A command of the office failed');
    form(status, { problem });
  }
}

const inTime = <Result,>(work: Promise<Result>): Promise<Result> => withTimeout(work, COMMAND_TIMEOUT_MS);

const typedSchema = v.fallback(v.record(v.string(), v.string()), {});

/** What was typed into the form that a request sends; nothing without one. */
export const typedIn = ({ body }: Request): Typed => v.parse(typedSchema, body);

/** A link to a form may choose for the user; nothing else is taken from it. */
function chosenIn<About>({ query }: Request, { fields }: Command<About>, about: About): Typed {
  const chosen = Object.entries(fields).flatMap(([name, field]) =>
    (choicesIn(field, about) ?? []).flatMap(({ value }) => (query[name] === value ? [[name, value]] : [])),
  );
  return Object.fromEntries(chosen);
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
