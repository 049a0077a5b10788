import * as v from 'valibot';
import type { ActContext } from '#server/acts/act-context.ts';
import type { Asked, Told } from '#server/acts/carry-out.ts';
import type { Role, User } from '#server/users/user.ts';

export interface Choice {
  value: string;
  words: string;
}

/** How one thing is asked for that an act takes. */
export interface Field<About> {
  label: string;
  hint?: string;
  /** `moment` is a day with a time that may be left out. */
  input: 'amount' | 'day' | 'moment' | 'line' | 'email' | 'tel' | 'url' | 'choice';
  /** What stands in it before anything is typed. */
  initial?(situation: About): string;
  /** Among which `choice` lets choose. */
  choices?(situation: About): readonly Choice[];
}

type Fields<About> = Readonly<Record<string, Field<About>>>;
type GivenBy<Takes extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Takes, undefined>>;

export interface ActSpec<Takes extends v.ObjectEntries, About> {
  /** In the address of its form, and in the log. */
  id: string;
  heading: string;
  /** What it does, in one sentence. */
  sentence: string;
  /** Who alone may do it; everybody if it is absent. */
  role?: Role;
  /** What it takes, each with a schema of what was typed, trimmed: nothing typed is ''. */
  takes: Takes;
  /** How that is asked for. */
  fields: Readonly<Record<keyof Takes & string, Field<About>>>;
  /** Why it is not possible now, as a sentence; undefined where it is. */
  whyNot(situation: About): string | undefined;
  run(context: ActContext, situation: About, given: GivenBy<Takes>, asked: Asked): Promise<Told>;
  /** What the button says that does it. */
  confirm(given: GivenBy<Takes>, told: Told, situation: About): string;
  /** What it tells is a secret: it is shown in answer to the press, and kept nowhere. */
  tellsSecret?: true;
}

/** What was typed into the fields of a form, by their names; the time of a `moment` under its name and `-time`. */
export type Typed = Readonly<Record<string, string>>;

/** An act with all that it needs, or what is wrong with what was typed, by the names of the fields. */
type Prepared =
  | { errors: Readonly<Record<string, string>> }
  | { run(context: ActContext, asked: Asked): Promise<Told>; confirm(told: Told): string };

/** Something that people do about a registration, or whatever else it is about, with its form. */
export interface OfficeAct<About> extends Omit<ActSpec<v.ObjectEntries, About>, 'takes' | 'run' | 'confirm'> {
  prepare(typed: Typed, situation: About): Prepared;
}

/** Makes the acts about one thing: forms and pages come from what is said of each. */
export function actsAbout<About>() {
  return <Takes extends v.ObjectEntries>(spec: ActSpec<Takes, About>): OfficeAct<About> => {
    const { takes, run, confirm, ...shown } = spec;
    const fields: Fields<About> = spec.fields;
    const schema = v.object(takes);
    return {
      ...shown,
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
        };
      },
    };
  };
}

/** Whether a user's role lets her do it. */
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

/** A letter that was sent or dismissed meanwhile is none to be chosen any more. */
function wrongChoices<About>(fields: Fields<About>, texts: Typed, situation: About): Record<string, string> {
  const wrong = Object.entries(fields).filter(
    ([name, { choices }]) => choices && !choices(situation).some(({ value }) => value === texts[name]),
  );
  return Object.fromEntries(
    wrong.map(([name]) => [name, 'Please choose one of these: what you chose is not possible any more']),
  );
}
