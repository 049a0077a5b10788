import { wrongUsage } from '#server/acts/refusal.ts';
import { actCommands } from './act-commands.ts';
import { bookkeepingCommand } from './bookkeeping-command.ts';
import type { Command } from './command.ts';
import { launchCheckCommand } from './launch-check.ts';
import { moveRegisterCommand } from './move-register.ts';
import { supportCommands } from './support-commands.ts';
import { userCommand } from './user-command.ts';

/** All commands of the program, in the order of its usage text. */
const COMMANDS: readonly Command[] = [
  ...supportCommands,
  ...actCommands,
  bookkeepingCommand,
  userCommand,
  moveRegisterCommand,
  launchCheckCommand,
];

/** The usage text, shown on request or after a wrong command. */
export const USAGE = `Usage: support COMMAND …

${COMMANDS.map(({ usage }) => usage).join('\n')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail or registration, 4 not possible in its state, 5 Redis not available,
6 something is left before launch.
`;

/**
 * Parses the arguments after the program's name.
 * @returns a function that carries out the command, and returns the text to be printed
 * @throws {Refusal} when they are not a valid command
 */
export function readCommand(words: readonly string[]): ReturnType<Command['read']> {
  const [first, ...rest] = words;
  if (!first) throw wrongUsage('A command is missing');
  const asked = COMMANDS.findLast(({ name }) => {
    const [verb, ...flags] = name.split(' ');
    return verb === first && flags.every((one) => rest.includes(one));
  });
  if (!asked) throw wrongUsage(`There is no command ${first}`);
  return asked.read(rest);
}
