import { causeOf } from '#server/http/app-error.ts';
import { Refusal, type RefusalReason, wrongUsage } from '#server/office/commands/command.ts';
import { printable } from '#server/office/words.ts';
import { COMMANDS } from './commands.ts';

const EXIT_CODES: Readonly<Record<RefusalReason, number>> = {
  failed: 1,
  wrongUsage: 2,
  noSuchMail: 3,
  wrongState: 4,
  redisAway: 5,
};
const IS_LEFT = 6;

const USAGE = `Usage: support COMMAND …

${COMMANDS.map(({ usage }) => usage).join('\n')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail or registration, 4 not possible in its state, 5 Redis not available,
6 something is left before launch.
`;

/** Carries out one command: the exit code of the program, and what it prints. */
export async function runCommand([name, ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  if (['help', '--help', '-h'].includes(name ?? '')) return { code: 0, out: USAGE, err: '' };
  try {
    if (name === undefined) throw wrongUsage('A command is missing');
    const command = COMMANDS.find((one) => one.name === name);
    if (!command) throw wrongUsage(`There is no command ${name}`);
    const printed = await command.run(args, {
      env,
      // The Stripe SDK and the queue are loaded only by the commands that need them.
      withContext: async (work) => (await import('./with-context.ts')).withContext(env, work),
    });
    const { text, isLeft } = typeof printed === 'string' ? { text: printed, isLeft: false } : printed;
    return { code: isLeft ? IS_LEFT : 0, out: `${text}\n`, err: '' };
  } catch (error) {
    const reason = error instanceof Refusal ? error.reason : 'failed';
    const usage = reason === 'wrongUsage' ? `\n${USAGE}` : '';
    const lines = causeOf(error).message.split('\n').map(printable);
    return { code: EXIT_CODES[reason], out: '', err: `${lines.join('\n')}\n${usage}` };
  }
}
