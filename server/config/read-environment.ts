import * as v from 'valibot';
import { readVariable, SecretFileError } from './secret-files.ts';

/** Values as they were given, empty ones and those of unreadable files left out. */
export type Given = Record<string, string | undefined>;

/**
 * Parses the variables of a schema; `NAME_FILE` names a file that holds a value. An empty value counts as absent.
 * @returns `output` if each of them is valid by itself, and a sentence for each that is missing or wrong
 */
export function readEnvironment<Entries extends v.ObjectEntries>(
  schema: v.ObjectSchema<Entries, undefined>,
  env: NodeJS.ProcessEnv,
) {
  const problems: string[] = [];
  const given: Given = Object.fromEntries(
    Object.keys(schema.entries).map((name) => [name, readOrReport(env, name, problems)]),
  );
  const result = v.safeParse(schema, given, { abortPipeEarly: true });
  for (const issue of result.issues ?? []) {
    const name = v.getDotPath(issue) ?? '';
    if (!problems.some((problem) => problem.startsWith(name))) problems.push(`${name} ${issue.message}`);
  }
  return { given, output: result.success ? result.output : undefined, problems };
}

function readOrReport(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  try {
    return readVariable(env, name);
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}
