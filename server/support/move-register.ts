import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import { recordedFor } from '#server/acts/carry-out.ts';
import { Refusal, wrongUsage } from '#server/acts/refusal.ts';
import { databaseUrl } from '#server/config/environment-values.ts';
import { readVariable } from '#server/config/secret-files.ts';
import { addAct, readActs } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import { act } from './act-commands.ts';
import { commandAlone } from './command.ts';
import { table } from './printable.ts';

const HINT = 'the empty database, such as postgresql://user@host/name?sslmode=verify-full';
const postgresUrl = v.pipe(
  databaseUrl(HINT),
  v.check((url) => !url.startsWith('file:'), `must be ${HINT}`),
);

/** The command that moves the register from a file to PostgreSQL; app and worker are stopped meanwhile. */
export const moveRegisterCommand = commandAlone({
  name: 'move-register',
  words: {},
  options: { by: act.by, to: v.optional(v.string(), '') },
  shownOptions: '--to URL --by NAME',
  help: [
    'Moves the register from the file that DATABASE_URL names into an empty PostgreSQL database, while app and worker are',
    'stopped: copies all, compares it, and keeps every process from starting on the file. A password that URL leaves out is',
    'read from PGPASSWORD.',
  ],
  async run({ by, to }, env) {
    const given = v.safeParse(postgresUrl, to);
    if (!given.success) throw wrongUsage(`--to ${given.issues[0].message}`);
    const from = readVariable(env, 'DATABASE_URL') ?? '';
    if (!from.startsWith('file:'))
      throw new Refusal('wrongState', 'DATABASE_URL must name the file in which the register is.');
    const { moveRegister } = await import('#server/database/move-register.ts');
    const id = uuidV7();
    const at = new Date();
    const moved = await moveRegister({ from, to }, async (register) => {
      const { name } = await register.selectFrom('register').select('name').executeTakeFirstOrThrow();
      const acts = await readActs(register, name);
      if (!acts.some(({ kind }) => kind === ACTS.moved))
        await addAct(register, { id, subject: name, kind: ACTS.moved, at, by });
    });
    return [
      'The register is moved, and was compared row by row:',
      table(moved.map(([name, rows]) => [name, String(rows)])),
      recordedFor(by),
      'Now let DATABASE_URL name the new database, and start app and worker. None starts on the file any more.',
    ].join('\n');
  },
});
