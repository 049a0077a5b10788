import assert from 'node:assert/strict';
import { type Command, Refusal, type Said, type Told, type Typed } from '#server/office/commands/command.ts';
import { type Subject, withSubjects } from '#server/office/commands/subjects.ts';
import { act } from '#server/office/terminal/act-command.ts';
import type { Office } from './test-office.ts';

/** The id of what a command is about, its own, and what is typed into its fields. */
export type Giving = readonly [key: string, command: string, typed?: Typed];

type Compared = readonly [name: string, now: string, then: string];

interface Shown {
  /** The sentences and table rows of the preview. */
  says: readonly string[];
  /** What it compares: a name, what is now, and what would be then. */
  compared?: readonly Compared[];
  /** Does what was shown; whether it was done. */
  press(): Promise<boolean>;
}

/** One way to give a command: shows it first, and does nothing before the press. */
type Driver<Needs = Office> = (office: Needs, ...giving: Giving) => Promise<Shown>;

/** Does something with a command and its subject, of whichever type. */
export function withCommand<Result>(
  [key, id]: Giving,
  work: <About>(subject: Subject<About>, command: Command<About>) => Result,
): Result {
  const [found] = withSubjects((subject) => {
    const command = subject.isNamed(key) ? subject.commands.find((one) => one.id === id) : undefined;
    return command ? [work(subject, command)] : [];
  }).flat();
  return found ?? assert.fail(`${key} has no command ${id}`);
}

export const core: Driver<Pick<Office, 'context'>> = async ({ context }, ...giving) => {
  const [key, , typed = {}] = giving;
  const give = (isTried: boolean, seen?: string): Promise<Told> =>
    withCommand(giving, async (subject, command) => {
      const about = await subject.find(context, key);
      const prepared = command.prepare(typed, about);
      if ('errors' in prepared) throw new Refusal('wrongUsage', Object.values(prepared.errors).join(' '));
      return prepared.give({ about, by: 'Anna', context }, { isTried, seen });
    });
  const { says, version } = await give(true);
  return {
    says: linesOf(says),
    compared: says.flatMap((said) => (typeof said === 'object' && 'compared' in said ? said.compared : [])),
    press: () => unlessRefused(async () => (await give(false, version)).outcome === 'done'),
  };
};

export const page: Driver = async ({ previewAt }, ...giving) => {
  const [key, id, typed] = giving;
  const shown = await previewAt(
    withCommand(giving, (subject) => subject.pathOf(key, id)),
    typed,
  );
  assert.equal(shown.status, 200, shown.text);
  return {
    says: shown.says,
    async press() {
      const { status, text } = await shown.confirm();
      assert.ok([200, 404, 409].includes(status), text);
      return status === 200;
    },
  };
};

/** The user Anna gives a command in a terminal; a refusal is thrown. */
export async function give(
  { context }: Pick<Office, 'context'>,
  ...[key, kind, typed = {}, isTried = false]: [...Giving, isTried?: boolean]
): Promise<Told> {
  const fields = Object.entries(typed).map((field) => field.join('='));
  const told = await act(context, key, { kind, fields, by: 'Anna', isTried });
  return typeof told === 'string' ? assert.fail(told) : told;
}

export const terminal: Driver<Pick<Office, 'context'>> = async (office, key, kind, typed) => {
  // The first line names the subject.
  const [, ...says] = (await give(office, key, kind, typed, true)).says;
  return {
    says: linesOf(says),
    press: () => unlessRefused(async () => (await give(office, key, kind, typed)).outcome === 'done'),
  };
};

async function unlessRefused(press: () => Promise<boolean>): Promise<boolean> {
  try {
    return await press();
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** What is said, line by line, as the page shows it. */
function linesOf(says: readonly Said[]): string[] {
  return says.flatMap((said) => {
    if (typeof said === 'string') return said;
    if ('letter' in said) return said.letter.text.trim().replace(/ +$/gm, '');
    if ('compared' in said) return [['What', 'Now', 'Then'], ...said.compared].map((row) => row.join(' '));
    return said.rows.flatMap(([name, words]) => (words === '' ? [] : `${name} ${words}`));
  });
}
