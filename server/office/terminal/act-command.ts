import {
  type Command,
  type CommandContext,
  choicesIn,
  type Field,
  refuseIf,
  type Told,
  type Typed,
  wrongUsage,
} from '#server/office/commands/command.ts';
import { type Subject, withSubjects } from '#server/office/commands/subjects.ts';
import { toldText } from './command.ts';

interface Doing {
  /** Without it, the commands that are possible now are listed. */
  kind: string | undefined;
  fields: readonly string[];
  by: string;
  isTried: boolean;
}

/** Gives a command of the office about the subject of an id. */
export async function act(context: CommandContext, id: string, doing: Doing): Promise<string | Told> {
  const { kind } = doing;
  const named = withSubjects((subject) => (subject.isNamed(id) ? faceOf(subject, context, id) : [])).flat();
  if (kind === undefined)
    return (await Promise.all(named.map((one) => one.list()))).filter(Boolean).join('\n');
  const chosen = named.find(({ ids }) => ids.includes(kind));
  if (chosen) return chosen.give(kind, doing);
  throw wrongUsage(`${id} has no act ${kind}: it is one of ${named.flatMap(({ ids }) => ids).join(', ')}`);
}

export async function actText(context: CommandContext, id: string, doing: Doing): Promise<string> {
  const told = await act(context, id, doing);
  return typeof told === 'string' ? told : toldText(told);
}

function faceOf<About>({ commands, ...subject }: Subject<About>, context: CommandContext, id: string) {
  return {
    ids: commands.map((one) => one.id),
    async list(): Promise<string> {
      const about = await subject.find(context, id);
      const possible = commands.filter(({ refuses }) => refuses(about) === undefined);
      return possible.map((one) => `${usageOf(one, about)}\n    ${one.sentence}`).join('\n');
    },
    async give(kind: string, { fields, by, isTried }: Doing): Promise<Told> {
      const about = await subject.find(context, id);
      const [command] = commands.filter((one) => one.id === kind);
      if (!command) throw wrongUsage(`There is no act ${kind}`);
      refuseIf(command.refuses(about));
      const prepared = command.prepare(typedInto(command, fields, about), about);
      if ('errors' in prepared)
        throw wrongUsage(
          Object.entries(prepared.errors)
            .map((field) => field.join(': '))
            .join('. '),
        );
      const told = await prepared.give({ about, by, context }, { isTried });
      return { ...told, says: [`${id}, ${subject.nameOf(about)}`, ...told.says] };
    },
  };
}

/** The values of all fields; one that is not given is as the form shows it at first. */
function typedInto<About>({ id, fields }: Command<About>, given: readonly string[], about: About): Typed {
  const typed = new Map(given.map((text) => [text.split('=', 1)[0] ?? '', text.replace(/^[^=]*=?/, '')]));
  const names = Object.keys(fields);
  const unknown = [...typed.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrongUsage(`${id} has no field ${unknown}: it takes ${names.join(', ') || 'none'}`);
  return Object.fromEntries(
    names.map((name) => [name, typed.get(name) ?? fields[name]?.initial?.(about) ?? '']),
  );
}

/** Such as `waive dollars=AMOUNT as=scholarship|reduction [reason=LINE]`; in brackets what may be left out. */
function usageOf<About>({ id, fields }: Command<About>, about: About): string {
  const fieldOf = ([name, field]: [string, Field<About>]) => {
    const values = choicesIn(field, about)?.map(({ value }) => value);
    const text = `${name}=${values?.join('|') ?? (field.input ?? 'line').toUpperCase()}`;
    return field.isOptional || field.input === 'mark' || field.initial?.(about) ? `[${text}]` : text;
  };
  return [id, ...Object.entries(fields).map(fieldOf)].join(' ');
}
