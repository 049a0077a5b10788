import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as v from 'valibot';
import type { Role } from '#server/config/users.ts';
import type { Mail } from '#server/letters/letter-kind.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { HOW_AGREED } from '#server/registration/act-kinds.ts';
import { LedgerRefusal } from '#server/registration/installments.ts';
import type { Links } from '#server/registration/links.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { Admission } from '#server/registration/waiting-list.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { contactSchema } from '#shared/registration.ts';
import { typedText } from '#shared/typed-text.ts';
import { day } from './given.ts';
import { sentence } from './words.ts';

export type RefusalReason = 'failed' | 'wrongUsage' | 'noSuchMail' | 'wrongState' | 'redisAway';

/** Why an act was not carried out: one sentence for the person who asked for it. */
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

/** The refusal of what the present state does not allow. */
export const impossible = (sentence: string): Refusal => new Refusal('wrongState', sentence);

/** @throws {Refusal} when there is a reason */
export function refuseIf(why: string | undefined): void {
  if (why !== undefined) throw impossible(why);
}

/** A letter as its reader sees it; the link to her page is a placeholder. */
export interface LetterReading {
  subject: string;
  text: string;
  html: string;
}

export interface ActContext {
  queue: LetterQueue;
  /** The queue's connection. */
  redis: Redis;
  /** A mail as it will be read, without the link to her page. */
  readingOf(mail: Mail): LetterReading;
  /** Registrations and payments, on record and at Stripe. */
  payments: Payments;
  letterLog: LetterLog;
  /** The places, and who waits for one. */
  admission: Admission;
  links: Links;
  /** The present time by the site's clock. */
  now(): Date;
  askForDueWork(): Promise<void>;
  /** How many letters go out in a second at most. */
  mailPerSecond: number;
}

/** @throws {Refusal} when there is no registration of this id */
export async function findRegistrationOf(
  context: ActContext,
  registration: string,
): Promise<RegistrationRecord> {
  const record = await findRegistration(context.payments, registration);
  if (!record) throw new Refusal('noSuchMail', `There is no registration ${registration}.`);
  return record;
}

/** Whether an act is only a dry run, and what was shown of it before. */
export interface Tried {
  'dry-run': boolean;
  /**
   * `Told.seen` of the result that the user was shown and now confirms: if the result would differ, nothing is done.
   */
  seen?: string | undefined;
}

/** The same, with the name of the person who acts. */
export interface Asked extends Tried {
  by: string;
}

/** A part of the description of an act: a sentence, an itemised sum, a table of facts, or a letter that it sends. */
export type Said =
  | string
  | { sum: readonly SumLine[] }
  | { facts: readonly (readonly string[])[] }
  | { letter: LetterReading };

export interface Told {
  /** `tried`: a dry run. `changed`: the result would differ from what was shown, so nothing was done. */
  outcome: 'tried' | 'done' | 'changed';
  /** The registration that it is about: its ID and her name. */
  about?: string;
  says: readonly Said[];
  /** A digest of what the result depends on, for the request that confirms it. */
  seen: string;
  /** The registration that was made. */
  leadsTo?: string;
}

/** The total of all sums in `says`, in US cents. */
export function totalOf(says: readonly Said[]): number {
  const lines = says.flatMap((said) => (typeof said !== 'string' && 'sum' in said ? said.sum : []));
  return lines.reduce((total, { cents }) => total + cents, 0);
}

interface Plan {
  about?: string;
  says: readonly Said[];
  /**
   * What the result depends on beside the sums and facts in `says`; nothing that differs with the time of the request.
   */
  restsOn: readonly unknown[];
}

/**
 * Runs `act`, except in a dry run or if the result has changed since it was shown; `act` returns what to add to `says`.
 */
export async function carryOut(
  asked: Tried,
  { about, says, restsOn }: Plan,
  act: () => Promise<readonly Said[]>,
): Promise<Told> {
  const shown = says.filter((one) => one !== '');
  const seen = digest([...restsOn, ...shown.filter((one) => typeof one !== 'string')]);
  const told = { ...(about !== undefined && { about }), says: shown, seen };
  if (asked['dry-run']) return { ...told, outcome: 'tried' };
  if (asked.seen !== undefined && asked.seen !== seen) return { ...told, outcome: 'changed' };
  return { ...told, outcome: 'done', says: [...shown, ...(await act())] };
}

function digest(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
}

/** Asks the worker to do what is due now. Returns `notAsked` if that failed. */
export async function askWorker(context: ActContext, notAsked: string): Promise<string[]> {
  return context.askForDueWork().then(
    () => [],
    () => [notAsked],
  );
}

export const recordedFor = (name: string): string => `Recorded for ${name}.`;

export interface Choice {
  value: string;
  words: string;
}

/** A value that an act takes: a field of its form, and `name=value` in a terminal. */
export interface Field<About> {
  /** For the input as it was meant, of a `text` as it was typed; an empty input is ''. */
  takes: v.GenericSchema<string, unknown> | v.GenericSchema<string | undefined, unknown>;
  label: string;
  hint?: string;
  /**
   * By default `line`. `moment` is a day with a time that may be left out, `text` several lines, `mark` a box: '' while
   * it is not ticked.
   */
  input?: 'amount' | 'day' | 'moment' | 'line' | 'email' | 'tel' | 'url' | 'text' | 'mark';
  isOptional?: true;
  initial?(situation: About): string;
  /** Of which one is chosen: the words of each value. */
  choices?: Readonly<Record<string, string>> | ((situation: About) => readonly Choice[]);
}

export type Fields<About> = Readonly<Record<string, Field<About>>>;
type SchemasOf<Takes extends Fields<never>> = { [Name in keyof Takes]: Takes[Name]['takes'] };
export type GivenBy<Takes extends Fields<never>> = v.InferOutput<v.ObjectSchema<SchemasOf<Takes>, undefined>>;

/** How she agreed to something, as the office records it, and on which day. */
export const agreedFields = {
  agreed: {
    takes: v.picklist(['phone', 'writing'], 'Please choose how she agreed'),
    label: 'How she agreed',
    choices: { phone: sentence(HOW_AGREED.phone), writing: sentence(HOW_AGREED.writing) },
  },
  agreedOn: { takes: day, label: 'On which day', input: 'day' },
} as const satisfies Fields<unknown>;

const { firstName, lastName, email, phoneNumber } = contactSchema.entries;

/** Who somebody is, and how she is reached. */
export const contactFields = {
  firstName: { takes: firstName, label: 'First name' },
  lastName: { takes: lastName, label: 'Last name' },
  email: { takes: email, label: 'E-mail', input: 'email' },
  phoneNumber: { takes: phoneNumber, label: 'Phone', input: 'tel' },
} as const satisfies Fields<unknown>;

/** An act about a situation; `Of` is what names its subject. */
export interface ActSpec<Takes extends Fields<About>, About, Of> {
  /** Used in the URL of its form, in the log, and in a terminal. */
  id: string;
  heading: string;
  sentence: string;
  /** The role that the user must have; every user may do it if absent. */
  role?: Role;
  fields?: Takes;
  /** Why it is not possible now, as a sentence; undefined where it is. */
  whyNot(situation: About): string | undefined;
  run(context: ActContext, of: Of, given: GivenBy<Takes>, asked: Asked): Promise<Told>;
  confirm(given: GivenBy<Takes>, told: Told, situation: About): string;
  /** Something that the user can try out before: the text of its button, and what it does, as a sentence. */
  trial?: {
    words: string;
    run(context: ActContext, of: Of, given: GivenBy<Takes>, by: string): Promise<string>;
  };
  /** Present if the result is a secret: it is shown in answer to the press, and stored nowhere. */
  tellsSecret?: true;
}

/** The input by the names of the fields; a form gives the time of a `moment` under its name plus `-time`. */
export type Typed = Readonly<Record<string, string>>;

/** An act that is ready to run, or the errors of the input, by the names of the fields. */
type Prepared<About, Of> =
  | { errors: Readonly<Record<string, string>> }
  | {
      run(context: ActContext, of: Of, asked: Asked): Promise<Told>;
      confirm(told: Told, situation: About): string;
      /** Present for an act that can be tried out. */
      tryOut?: ((context: ActContext, of: Of, by: string) => Promise<string>) | undefined;
    };

/** Something that users do about a registration, or about another subject, on a page or in a terminal. */
export interface OfficeAct<About, Of>
  extends Omit<ActSpec<Fields<About>, About, Of>, 'fields' | 'run' | 'confirm' | 'trial'> {
  fields: Fields<About>;
  trial?: { words: string };
  /** Reads the input; without the situation, a choice that is no longer possible is left to `run`. */
  prepare(typed: Typed, situation?: About): Prepared<About, Of>;
}

/**
 * Returns a function that makes acts about one kind of subject; forms, pages and the command `act` are made from their
 * specifications.
 */
export function actsAbout<About, Of>() {
  return <const Takes extends Fields<About>>(spec: ActSpec<Takes, About, Of>) => {
    const fields: Fields<About> = spec.fields ?? {};
    const schemas = Object.entries(fields).map(([name, { takes }]) => [name, takes]);
    const schema = v.object(Object.fromEntries(schemas) as SchemasOf<Takes>);
    const run: typeof spec.run = (...asked) => refusedByLedger(spec.run(...asked));
    const prepare = (typed: Typed, situation?: About): Prepared<About, Of> => {
      const texts = Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, textOf(name, field, typed)]),
      );
      const read = v.safeParse(schema, texts);
      const errors = {
        ...(situation !== undefined && wrongChoices(fields, texts, situation)),
        ...(read.success ? {} : firstIssues(read.issues)),
      };
      if (!read.success || Object.keys(errors).length > 0) return { errors };
      const { trial } = spec;
      return {
        run: (context, of, asked) => run(context, of, read.output, asked),
        confirm: (told, now) => spec.confirm(read.output, told, now),
        tryOut: trial && ((context, of, by) => trial.run(context, of, read.output, by)),
      };
    };
    return { ...spec, run, fields, prepare };
  };
}

/** What is asked of her, or on its way to her, may not allow an act. */
async function refusedByLedger<Result>(run: Promise<Result>): Promise<Result> {
  try {
    return await run;
  } catch (error) {
    throw error instanceof LedgerRefusal ? impossible(error.message) : error;
  }
}

/** Of what one is chosen for a field; undefined where nothing is. */
export function choicesIn<About>({ choices }: Field<About>, situation: About): readonly Choice[] | undefined {
  if (choices === undefined || typeof choices === 'function') return choices?.(situation);
  return Object.entries(choices).map(([value, words]) => ({ value, words }));
}

export function mayDo({ role }: { role: Role }, act: { role?: Role }): boolean {
  return act.role === undefined || act.role === role;
}

function textOf(name: string, { input }: Pick<Field<never>, 'input'>, typed: Typed): string {
  const given = typed[name] ?? '';
  const text = input === 'text' ? given : typedText(given);
  const time = input === 'moment' ? typedText(typed[`${name}-time`] ?? '') : '';
  return time === '' ? text : `${text}T${time}`;
}

function firstIssues(issues: readonly v.BaseIssue<unknown>[]): Record<string, string> {
  const errors = issues.map(({ path, message }) => [String(path?.[0]?.key), message] as const);
  return Object.fromEntries(errors.toReversed());
}

/** Errors for choices that are not possible any more, such as a letter that was sent or dismissed meanwhile. */
function wrongChoices<About>(fields: Fields<About>, texts: Typed, situation: About): Record<string, string> {
  const wrong = Object.entries(fields).filter(
    ([name, { choices }]) =>
      typeof choices === 'function' && !choices(situation).some(({ value }) => value === texts[name]),
  );
  return Object.fromEntries(
    wrong.map(([name]) => [name, 'Please choose one of these: what you chose is no longer possible']),
  );
}
