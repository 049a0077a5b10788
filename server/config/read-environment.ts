import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const SUFFIX = '_FILE';

/**
 * The value of a variable: its own, or that of the file which `NAME_FILE` names, as Docker and Kubernetes hand secrets
 * to a container. Empty counts as absent.
 * @throws when the file cannot be read, or both are given
 */
export function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name] || undefined;
  const file = env[`${name}${SUFFIX}`];
  if (!file) return value;
  if (value !== undefined) throw new Error(`${name} is set twice: keep either ${name} or ${name}${SUFFIX}`);
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (cause) {
    throw new Error(`${name}${SUFFIX} names a file that cannot be read: ${file}`, { cause });
  }
}

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
    problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
