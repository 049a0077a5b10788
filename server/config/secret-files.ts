import { readFileSync } from 'node:fs';

const SUFFIX = '_FILE';

/** A secret's file cannot be read, or the secret is set twice. */
export class SecretFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SecretFileError';
  }
}

/**
 * The value of a variable: its own, or that of the file which `NAME_FILE` names, as Docker and Kubernetes hand secrets
 * to a container. Empty counts as absent.
 * @throws {SecretFileError} when the file cannot be read, or both are given
 */
export function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name] || undefined;
  const file = env[`${name}${SUFFIX}`];
  if (!file) return value;
  if (value !== undefined)
    throw new SecretFileError(`${name} is set twice: keep either ${name} or ${name}${SUFFIX}`);
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (cause) {
    throw new SecretFileError(`${name}${SUFFIX} names a file that cannot be read: ${file}`, { cause });
  }
}
