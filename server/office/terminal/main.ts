import { runCommand } from './run-command.ts';

// As in app and worker: the register may be opened first by support.
process.umask(0o077);

// In `support mails | head`, head closes the pipe early.
process.stdout.on('error', () => process.exit());

// Support's command line: `node dist/support.js COMMAND …`, or `npm run support -- COMMAND …`.
const { code, out, err } = await runCommand(process.argv.slice(2), process.env);
process.stdout.write(out);
process.stderr.write(err);
process.exitCode = code;
