import type { Redis } from 'ioredis';
import * as v from 'valibot';
import type { WorkerConfig } from '#server/config/config.ts';
import type { Role } from '#server/config/users.ts';
import type { LetterLog } from '#server/letters/letter-log.ts';
import type { OfficeNeed } from '#server/letters/office-digest-words.ts';
import type { LetterQueue } from '#server/letters/queue.ts';
import { type Admission, LedgerRefusal, sha256Of } from '#server/registration/registration.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { typedText } from '#shared/typed-text.ts';

export type RefusalReason = 'failed' | 'wrongUsage' | 'notFound' | 'wrongState' | 'redisAway';

/** Why a command was not carried out: one sentence for the person who gave it. */
export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

export function wrongUsage(reason: string): Refusal {
  return new Refusal('wrongUsage', `${reason.replace(/\.$/, '')}.`);
}

export const impossible = (sentence: string): Refusal => new Refusal('wrongState', sentence);

export function refuseIf(why: string | undefined | false): void {
  if (why) throw impossible(why);
}

export interface CommandContext {
  config: Pick<WorkerConfig, 'publicUrl' | 'office'> & {
    mail: Pick<WorkerConfig['mail'], 'perSecond'>;
  };
  queue: LetterQueue;
  /** The queue's connection. */
  redis: Redis;
  payments: Payments;
  letterLog: LetterLog;
  admission: Admission;
  /** The site's business date, see `Clock`. */
  now(): Date;
  askForDueWork(): Promise<void>;
}

/** A part of a preview or a result; a letter is shown as its reader sees it. */
export type Said =
  | string
  | { rows: readonly (readonly [name: string, words: string])[] }
  | { compared: readonly (readonly [name: string, now: string, then: string])[] }
  | { letter: { subject: string; text: string } };

export interface Choice {
  value: string;
  words: string;
}

/** A value that a command takes: a field of its form, and `name=value` in a terminal. */
export interface Field<About> {
  /** For the input as it was meant, of a `text` as it was typed; an empty input is ''. */
  takes: v.GenericSchema<string, unknown> | v.GenericSchema<string | undefined, unknown>;
  label: string;
  hint?: string;
  /**
   * By default `line`. `moment` is a day with a time, `text` several lines, `mark` a box: '' while it is not ticked.
   */
  input?: 'amount' | 'day' | 'moment' | 'line' | 'email' | 'tel' | 'url' | 'text' | 'mark';
  isOptional?: true;
  initial?(about: About): string;
  choices?: Readonly<Record<string, string>> | ((about: About) => readonly Choice[]);
}

export type Fields<About> = Readonly<Record<string, Field<About>>>;
type SchemasOf<Takes extends Fields<never>> = { [Name in keyof Takes]: Takes[Name]['takes'] };
export type InputOf<Takes extends Fields<never>> = v.InferOutput<v.ObjectSchema<SchemasOf<Takes>, undefined>>;

/** Who gives a command, what it is about as it is now, and what it works with. */
export interface Call<About> {
  about: About;
  by: string;
  context: CommandContext;
}

export interface Plan {
  says: readonly Said[];
  /** Does it; returns what to add to `says`, or the registration that was made. */
  carryOut(): Promise<{ says?: readonly Said[]; made?: string } | undefined>;
}

/** One row of the table of commands. */
export interface Spec<Takes extends Fields<About>, About> {
  /** In addresses, in the log, and in a terminal. */
  id: string;
  heading: string;
  sentence: string;
  group?: string;
  /** The needs of the office with which it helps most often. */
  helps?: readonly OfficeNeed[];
  role?: Role;
  fields?: Takes;
  /** Why it is not possible now, whatever is given, and what to do instead; undefined where it is. */
  refuses(about: About): string | undefined;
  plan(call: Call<About>, input: InputOf<Takes>): Plan | Promise<Plan>;
  /** On the button that carries it out; by default the heading. */
  button?(input: InputOf<Takes>, about: About): string;
  /** Something to try before; returns what came of it. */
  trial?: { words: string; run(call: Call<About>, input: InputOf<Takes>): Promise<string> };
}

/** The input by the names of the fields. */
export type Typed = Readonly<Record<string, string>>;

export interface Told {
  /** `tried`: only shown. `changed`: it is not what was shown any more, so nothing was done. */
  outcome: 'tried' | 'done' | 'changed';
  says: readonly Said[];
  /** A digest of what it rests on, for the press that confirms it. */
  version: string;
  /** The registration that was made. */
  made?: string;
}

export interface Giving {
  isTried: boolean;
  /** The version that was shown; without it, whatever is now. */
  seen?: string | undefined;
}

/** A command with its input, or what is wrong with that, by the names of the fields. */
export type Prepared<About> =
  | { errors: Readonly<Record<string, string>> }
  | {
      /** Shows what it would do, or does it if that is still what was shown, and has the worker do what is due then. */
      give(call: Call<About>, giving: Giving): Promise<Told>;
      button: string;
      tryOut: ((call: Call<About>) => Promise<string>) | undefined;
    };

export interface Command<About>
  extends Omit<Spec<Fields<About>, About>, 'fields' | 'plan' | 'button' | 'trial'> {
  fields: Fields<About>;
  trial?: { words: string } | undefined;
  prepare(typed: Typed, about: About): Prepared<About>;
}

/** @param versionOf another one once something is not as it was shown; by default a preview holds while it says the same */
export function commandsAbout<About>(versionOf?: (about: About) => unknown) {
  const give = async (plan: Plan, { about, context }: Call<About>, { isTried, seen }: Giving) => {
    const says = plan.says.filter((one) => one !== '');
    const version = digest(versionOf?.(about) ?? says);
    if (isTried) return { outcome: 'tried', says, version } as const;
    if (seen !== undefined && seen !== version) return { outcome: 'changed', says, version } as const;
    const { says: more = [], made } = (await plan.carryOut()) ?? {};
    const notAsked = await context.askForDueWork().then(
      () => [],
      () => ['The site could not be asked to look: what follows from this is done within the hour.'],
    );
    const done = { outcome: 'done', says: [...says, ...more, ...notAsked], version } as const;
    return made === undefined ? done : { ...done, made };
  };
  return <const Takes extends Fields<About>>(spec: Spec<Takes, About>): Command<About> => {
    const fields: Fields<About> = spec.fields ?? {};
    const schemas = Object.entries(fields).map(([name, { takes }]) => [name, takes]);
    const schema = v.object(Object.fromEntries(schemas) as SchemasOf<Takes>);
    const prepare = (typed: Typed, about: About): Prepared<About> => {
      const texts = Object.fromEntries(
        Object.entries(fields).map(([name, { input }]) => {
          const text = typed[name] ?? '';
          return [name, input === 'text' ? text : typedText(text)];
        }),
      );
      const read = v.safeParse(schema, texts);
      const errors = {
        ...wrongChoices(fields, texts, about),
        ...(read.success ? {} : firstIssues(read.issues)),
      };
      if (!read.success || Object.keys(errors).length > 0) return { errors };
      const { trial } = spec;
      return {
        async give(call, giving) {
          refuseIf(spec.refuses(call.about));
          try {
            return await give(await spec.plan(call, read.output), call, giving);
          } catch (error) {
            // What is asked of her, or on its way to her, may not allow it.
            throw error instanceof LedgerRefusal ? impossible(error.message) : error;
          }
        },
        button: spec.button?.(read.output, about) ?? spec.heading,
        tryOut: trial && ((call) => trial.run(call, read.output)),
      };
    };
    return { ...spec, fields, prepare };
  };
}

export function digest(facts: unknown): string {
  return sha256Of(JSON.stringify(facts));
}

/** Of what one is chosen for a field; undefined where nothing is. */
export function choicesIn<About>(
  { choices }: Pick<Field<About>, 'choices'>,
  about: About,
): readonly Choice[] | undefined {
  if (choices === undefined || typeof choices === 'function') return choices?.(about);
  return Object.entries(choices).map(([value, words]) => ({ value, words }));
}

export function mayGive({ role }: { role: Role }, command: { role?: Role }): boolean {
  return command.role === undefined || command.role === role;
}

function firstIssues(issues: readonly v.BaseIssue<unknown>[]): Record<string, string> {
  const errors = issues.map(({ path, message }) => [String(path?.[0]?.key), message] as const);
  return Object.fromEntries(errors.toReversed());
}

/** Errors for choices that are not possible any more. */
function wrongChoices<About>(fields: Fields<About>, texts: Typed, about: About): Record<string, string> {
  const wrong = Object.entries(fields).filter(
    ([name, { choices }]) =>
      typeof choices === 'function' && !choices(about).some(({ value }) => value === texts[name]),
  );
  return Object.fromEntries(
    wrong.map(([name]) => [name, 'Please choose one of these: what you chose is no longer possible']),
  );
}
