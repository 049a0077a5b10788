import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import { databaseUrl } from '#server/config/environment-values.ts';
import { readVariable } from '#server/config/read-environment.ts';
import { impossible, wrongUsage } from '#server/office/commands/command.ts';
import {
  addAct,
  holdRegister,
  readActs,
  readHeld,
  releaseRegister,
} from '#server/registration/registration.ts';
import { by, type Command, command, flag, reason, toldText } from './command.ts';

const hold = command({
  usage: 'hold --reason TEXT --by NAME',
  help: 'Holds everything outward: no charge, refund or letter goes out, and nobody’s data are removed, until release.',
  takes: { by, reason },
  run: (asked, { withContext }) =>
    withContext(async ({ payments, now }) => {
      if (await readHeld(payments)) throw impossible('The register is held already.');
      await holdRegister(payments, asked.reason, asked.by, now());
      return `Nothing goes out from now on. Visitors can register all the while.\nRecorded for ${asked.by}.`;
    }),
});

const release = command({
  usage: 'release --by NAME [--dry-run]',
  help: 'Ends the hold: letters, charges and refunds go out again. With --dry-run it says why the register is held, and lists\n      the registrations that were added from Stripe.',
  takes: { by, 'dry-run': flag },
  run: (asked, { withContext }) =>
    withContext(async ({ payments, now }) => {
      const held = await readHeld(payments);
      if (!held) throw impossible('The register is not held: nothing waits for this.');
      if (!held.readAt) throw impossible('The worker has not read Stripe yet since the register is held.');
      const added = held.added.map(({ id, name }) => [id, name] as const);
      const says = [
        `The register is held since ${held.since.toISOString()}. ${held.why}`,
        ...(added.length > 0
          ? ['Stripe knew of these, and they were added:', { rows: added }]
          : ['Stripe knew of no other registration.']),
        'They have agreed to nothing: they are asked for the balance, and no card is charged. What the office decided since',
        'is lost: it enters again what its own messages of these hours tell.',
      ];
      if (asked['dry-run']) return toldText({ outcome: 'tried', says });
      await releaseRegister(payments, asked.by, now());
      const goesOn = 'Letters, charges and refunds go out again within two minutes.';
      return toldText({ outcome: 'done', says: [...says, `Recorded for ${asked.by}.`, goesOn] });
    }),
});

const HINT = 'the empty database, such as postgresql://user@host/name?sslmode=verify-full';
const postgresUrl = v.pipe(
  databaseUrl(HINT),
  v.check((url) => !url.startsWith('file:'), `must be ${HINT}`),
);

const copy = command({
  usage: 'copy --to URL --by NAME',
  help: 'Moves the register from the file that DATABASE_URL names into an empty PostgreSQL database, while app and worker are\n      stopped; no process starts on the file any more. A password that URL leaves out is read from PGPASSWORD.',
  takes: { by, to: v.optional(v.string()) },
  async run({ by: name, to: url }, { env }) {
    const to = v.safeParse(postgresUrl, url);
    if (!to.success) throw wrongUsage(`--to ${to.issues[0].message}`);
    const from = readVariable(env, 'DATABASE_URL') ?? '';
    if (!from.startsWith('file:'))
      throw impossible('DATABASE_URL must name the file in which the register is.');
    const { moveRegister } = await import('#server/database/move-register.ts');
    const noted = { id: uuidV7(), kind: 'moved' as const, at: new Date(), by: name };
    await moveRegister({ from, to: to.output }, async (register) => {
      const row = await register.selectFrom('register').select('name').executeTakeFirstOrThrow();
      const acts = await readActs(register, row.name);
      if (!acts.some(({ kind }) => kind === 'moved')) await addAct(register, { ...noted, subject: row.name });
    });
    return [
      'The register is moved, and was compared row by row.',
      `Recorded for ${name}.`,
      'Now let DATABASE_URL name the new database, and start app and worker. None starts on the file any more.',
    ].join('\n');
  },
});

export const registerCommands: readonly Command[] = [hold, release, copy];
