import { hasComplained, isUnreachable } from '#server/record/bounce-mark.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import { chargeWords } from './charge-words.ts';
import { plannedAct } from './registration-act.ts';

/**
 * Records that her address takes letters again, or was never at fault: due letters are sent there, and a
 * notice of a charge that may not have reached her is sent again. For a complaint it records that somebody
 * has talked with her.
 */
export const addressWorks = plannedAct({
  id: 'address-works',
  heading: 'Record that her address works',
  sentence:
    'After a letter came back: letters go to her address again, and she is told of a charge that she may not have heard of. After she marked one as spam: takes that off the list.',
  group: 'details',
  help: [
    'Records that letters reach her address again after one came back, or that her complaint was looked at. She is told again',
    'of a charge that she may not have heard of.',
  ],
  whyNot: ({ record }) =>
    isUnreachable(record) || hasComplained(record)
      ? undefined
      : 'No letter to her present address came back, and she complained of none.',
  confirm: () => 'Record that her address works',
  plan: ({ record, now, by }) => ({
    says: hasComplained(record)
      ? ['Her complaint is taken off the list. Letters to her went on all the while.']
      : [`Letters go to ${record.registrant.email} again.`, ...toldAgain(record, now)],
    carryOut: (register) => register.clearBounce(record, by, now),
  }),
});

function toldAgain(record: RegistrationRecord, now: Date): readonly string[] {
  const { bounced } = record;
  if (!bounced) return [];
  const after = { ...record, bounced: { ...bounced, over: now, lostUntil: now } };
  const charge = owesNothing(record) ? [] : [`Charged automatically: ${chargeWords(after, now)}.`];
  return [...charge, 'Other letters that came back are not sent again automatically.'];
}
