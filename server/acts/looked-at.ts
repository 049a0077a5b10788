import { carryOut } from './carry-out.ts';
import { registrationAct } from './registration-act.ts';

/**
 * Records that a person handles a payment that the log reported: it is not reported again, and no welcome is
 * sent.
 */
export const lookedAt = registrationAct({
  id: 'looked-at',
  heading: 'Mark her payment as looked at',
  sentence: 'Ends the reports about a payment that needed a person. She is not welcomed for it.',
  group: 'support',
  role: 'support',
  whyNot: () => undefined,
  confirm: () => 'Mark her payment as looked at',
  run(context, id, _given, asked) {
    const says = ['This payment is marked as looked at and will not be reported again.'];
    return carryOut(asked, { says, restsOn: [id] }, async () => {
      await (await context.openRecord()).markLookedAt(id, asked.by, await context.now());
      return [];
    });
  },
});
