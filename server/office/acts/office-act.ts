import * as v from 'valibot';
import type { ActContext } from '#server/acts/act-context.ts';
import type { Asked, Told } from '#server/acts/carry-out.ts';
import type { Role, User } from '#server/users/user.ts';

export interface Choice {
  value: string;
  words: string;
}

/** The form field of one value that an act takes. */
export interface Field<About> {
  label: string;
  hint?: string;
  /** `moment` is a day with a time that may be left out, `text` several lines, `mark` a box: '' while it is not ticked. */
  input: 'amount' | 'day' | 'moment' | 'line' | 'email' | 'tel' | 'url' | 'choice' | 'text' | 'mark';
  /** It may be left empty. */
  isOptional?: true;
  /** The initial value. */
  initial?(situation: About): string;
  /** The options of a `choice`. */
  choices?(situation: About): readonly Choice[];
}

type Fields<About> = Readonly<Record<string, Field<About>>>;
type GivenBy<Takes extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Takes, undefined>>;

export interface ActSpec<Takes extends v.ObjectEntries, About> {
  /** Used in the URL of its form, and in the log. */
  id: string;
  heading: string;
  /** What it does, in one sentence. */
  sentence: string;
  /** The role that the user must have; every user may do it if absent. */
  role?: Role;
  /** The values that it takes, each with a schema for the trimmed input; an empty input is ''. */
  takes: Takes;
  /** The form fields of these values. */
  fields: Readonly<Record<keyof Takes & string, Field<About>>>;
  /** Why it is not possible now, as a sentence; undefined where it is. */
  whyNot(situation: About): string | undefined;
  run(context: ActContext, situation: About, given: GivenBy<Takes>, asked: Asked): Promise<Told>;
  /** The text of the button that carries the act out. */
  confirm(given: GivenBy<Takes>, told: Told, situation: About): string;
  /** Something that the user can try out before: the text of its button, and what it does, as a sentence. */
  trial?: {
    words: string;
    run(context: ActContext, situation: About, given: GivenBy<Takes>, by: string): Promise<string>;
  };
  /** Present if the result is a secret: it is shown in answer to the press, and stored nowhere. */
  tellsSecret?: true;
}

/** The input of a form, by the names of its fields; the time of a `moment` is under its name plus `-time`. */
export type Typed = Readonly<Record<string, string>>;

/** An act that is ready to run, or the errors of the input, by the names of the fields. */
type Prepared =
  | { errors: Readonly<Record<string, string>> }
  | {
      run(context: ActContext, asked: Asked): Promise<Told>;
      confirm(told: Told): string;
      /** Present for an act that can be tried out. */
      tryOut?: ((context: ActContext, by: string) => Promise<string>) | undefined;
    };

/** Something that users do about a registration, or about another subject, with its form. */
export interface OfficeAct<About>
  extends Omit<ActSpec<v.ObjectEntries, About>, 'takes' | 'run' | 'confirm' | 'trial'> {
  /** The text of the button that tries it out. */
  trialWords?: string | undefined;
  prepare(typed: Typed, situation: About): Prepared;
}

/**
 * Returns a function that makes acts about one kind of subject; forms and pages are made from their
 * specifications.
 */
export function actsAbout<About>() {
  return <Takes extends v.ObjectEntries>(spec: ActSpec<Takes, About>): OfficeAct<About> => {
    const { takes, run, confirm, trial, ...shown } = spec;
    const fields: Fields<About> = spec.fields;
    const schema = v.object(takes);
    return {
      ...shown,
      trialWords: trial?.words,
      prepare(typed, situation) {
        const texts = Object.fromEntries(
          Object.entries(fields).map(([name, field]) => [name, textOf(name, field, typed)]),
        );
        const given = v.safeParse(schema, texts);
        const errors = {
          ...wrongChoices(fields, texts, situation),
          ...(given.success ? {} : firstIssues(given.issues)),
        };
        if (!given.success || Object.keys(errors).length > 0) return { errors };
        return {
          run: (context, asked) => run(context, situation, given.output, asked),
          confirm: (told) => confirm(given.output, told, situation),
          tryOut: trial && ((context, by) => trial.run(context, situation, given.output, by)),
        };
      },
    };
  };
}

/** Whether a user's role allows an act. */
export function mayDo({ role }: User, act: Pick<OfficeAct<never>, 'role'>): boolean {
  return act.role === undefined || act.role === role;
}

function textOf(name: string, { input }: Pick<Field<never>, 'input'>, typed: Typed): string {
  const text = (typed[name] ?? '').trim();
  const time = input === 'moment' ? (typed[`${name}-time`] ?? '').trim() : '';
  return time === '' ? text : `${text}T${time}`;
}

function firstIssues(issues: readonly v.BaseIssue<unknown>[]): Record<string, string> {
  const errors = issues.map(({ path, message }) => [String(path?.[0]?.key), message] as const);
  return Object.fromEntries(errors.toReversed());
}

/**
 * Errors for choices that are not possible any more, such as a letter that was sent or dismissed meanwhile.
 */
function wrongChoices<About>(fields: Fields<About>, texts: Typed, situation: About): Record<string, string> {
  const wrong = Object.entries(fields).filter(
    ([name, { choices }]) => choices && !choices(situation).some(({ value }) => value === texts[name]),
  );
  return Object.fromEntries(
    wrong.map(([name]) => [name, 'Please choose one of these: what you chose is no longer possible']),
  );
}
