import * as v from 'valibot';
import { carryOut, impossible, recordedFor } from '#server/office/commands/command.ts';
import { holdRegister, readHeld, releaseRegister } from '#server/registration/held-register.ts';
import { typedText } from '#shared/typed-text.ts';
import { by, command, flag } from './command.ts';
import { toldText } from './terminal-text.ts';

const takes = { by, 'dry-run': flag };
const reason = v.pipe(
  v.optional(v.string(), ''),
  v.transform(typedText),
  v.nonEmpty('--reason TEXT must say why'),
  v.maxLength(300, '--reason TEXT takes 300 characters at most'),
);

export const holdCommand = command({
  usage: 'hold --reason TEXT --by NAME [--dry-run]',
  help: 'Holds everything outward: no charge, refund or letter goes out, and nobody’s data are removed, until release.',
  takes: { ...takes, reason },
  run: (asked, { withContext }) =>
    withContext(async (context) => {
      const { payments } = context;
      if (await readHeld(payments)) throw impossible('The register is held already.');
      const says = ['Nothing goes out from now on. Visitors can register all the while.'];
      const told = await carryOut(asked, { says, restsOn: [] }, async () => {
        await holdRegister(payments, asked.reason, asked.by, context.now());
        return [recordedFor(asked.by)];
      });
      return toldText(told);
    }),
});

export const releaseCommand = command({
  usage: 'release --by NAME [--dry-run]',
  help: 'Ends the hold: letters, charges and refunds go out again. With --dry-run it says why the register is held, and lists\n      the registrations that were added from Stripe.',
  takes,
  run: (asked, { withContext }) =>
    withContext(async (context) => {
      const { payments } = context;
      const held = await readHeld(payments);
      if (!held) throw impossible('The register is not held: nothing waits for this.');
      if (!held.readAt) throw impossible('The worker has not read Stripe yet since the register is held.');
      const added = held.added.map(({ id, name }) => [id, name]);
      const says = [
        `The register is held since ${held.since.toISOString()}. ${held.why}`,
        added.length > 0
          ? 'Stripe knew of these, and they were added:'
          : 'Stripe knew of no other registration.',
        ...(added.length > 0 ? [{ facts: added }] : []),
        'They have agreed to nothing: they are asked for the balance, and no card is charged. What the office decided since',
        'is lost: it enters again what its own messages of these hours tell.',
      ];
      const told = await carryOut(asked, { says, restsOn: [] }, async () => {
        await releaseRegister(payments, asked.by, context.now());
        return [recordedFor(asked.by), 'Letters, charges and refunds go out again within two minutes.'];
      });
      return toldText(told);
    }),
});
