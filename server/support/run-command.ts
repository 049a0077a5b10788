import { Refusal, type RefusalReason, wrongUsage } from '#server/office/commands/command.ts';
import { printable } from '#server/office/words.ts';
import { causeOf } from '#server/http/app-error.ts';
import type { Surroundings } from './command.ts';
import { COMMANDS } from './commands.ts';

const EXIT_CODES = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  noSuchMail: 3,
  wrongState: 4,
  redisAway: 5,
  isLeft: 6,
} as const satisfies Record<RefusalReason | 'done' | 'isLeft', number>;

const HELP = ['help', '--help', '-h'];

const USAGE = `Usage: support COMMAND …

${COMMANDS.map(({ usage }) => usage).join('\n')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail or registration, 4 not possible in its state, 5 Redis not available,
6 something is left before launch.
`;

/** Carries out one command: the exit code of the program, and what it prints. */
export async function runCommand([name, ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  if (HELP.includes(name ?? '')) return { code: EXIT_CODES.done, out: USAGE, err: '' };
  const surroundings: Surroundings = {
    env,
    // The Stripe SDK and the queue are loaded only by the commands that need them.
    withContext: async (work) => (await import('./with-context.ts')).withContext(env, work),
  };
  try {
    if (name === undefined) throw wrongUsage('A command is missing');
    const command = COMMANDS.find((one) => one.name === name);
    if (!command) throw wrongUsage(`There is no command ${name}`);
    const printed = await command.run(args, surroundings);
    const { text, isLeft } = typeof printed === 'string' ? { text: printed, isLeft: false } : printed;
    return { code: EXIT_CODES[isLeft ? 'isLeft' : 'done'], out: `${text}\n`, err: '' };
  } catch (error) {
    const reason = error instanceof Refusal ? error.reason : 'failed';
    const usage = reason === 'wrongUsage' ? `\n${USAGE}` : '';
    const lines = causeOf(error).message.split('\n').map(printable);
    return { code: EXIT_CODES[reason], out: '', err: `${lines.join('\n')}\n${usage}` };
  }
}
