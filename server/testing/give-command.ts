import assert from 'node:assert/strict';
import { type CommandContext, giveCommand, type Told } from '#server/office/commands/command.ts';
import { type Subject, withSubjects } from '#server/office/commands/subjects.ts';

interface Giving {
  isTried?: boolean;
  seen?: string;
}

/** Gives a command about the subject of an id, as Anna's press of its form does; a refusal is thrown. */
export async function give(
  context: CommandContext,
  id: string,
  kind: string,
  typed: Readonly<Record<string, string>> = {},
  { isTried = false, seen }: Giving = {},
): Promise<Told> {
  const giveOn = async <About>({ commands, ...subject }: Subject<About>) => {
    const command = commands.find((one) => one.id === kind);
    if (!command || !subject.isNamed(id)) return undefined;
    const about = await subject.find(context, id);
    const prepared = command.prepare(typed, about);
    if ('errors' in prepared) throw new Error(JSON.stringify(prepared.errors));
    const plan = await prepared.plan({ about, by: 'Anna', context });
    return giveCommand(plan, subject.version(about), { isTried, ...(seen && { seen }), context });
  };
  const told = (await Promise.all(withSubjects(giveOn))).find((one) => one !== undefined);
  return told ?? assert.fail(`${id} has no command ${kind}`);
}
