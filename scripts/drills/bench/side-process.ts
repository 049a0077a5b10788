import { fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

const addressSchema = v.object({ url: v.string(), smtpUrl: v.exactOptional(v.string()) });

/**
 * A server in a process of its own, so that its work is not measured with ours; it ends with this process.
 */
export interface SideProcess {
  url: string;
  /** Where it takes mails, if it does. */
  smtpUrl?: string;
  pid: number | undefined;
  /** Sends it a message. */
  tell(message: object): void;
  close(): Promise<void>;
}

/** Starts a TypeScript program which says where it listens, as `{ url }`, in its first message. */
export async function startSideProcess(
  program: URL,
  nodeOptions: readonly string[] = [],
  args: readonly string[] = [],
): Promise<SideProcess> {
  const path = fileURLToPath(program);
  const child = fork(path, args, { execArgv: ['--import', 'tsx', ...nodeOptions] });
  const ended = once(child, 'exit');
  const early = ended.then(() => Promise.reject(new Error(`${basename(path)} has ended`)));
  const [message] = await Promise.race([once(child, 'message'), early]);
  return {
    ...v.parse(addressSchema, message),
    pid: child.pid,
    tell: (message) => void child.send(message),
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
