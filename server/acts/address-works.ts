import { hasComplained, isUnreachable } from '#server/record/bounce-mark.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { type Asked, carryOutFor, type Told } from './carry-out.ts';
import { chargeWords } from './charge-words.ts';
import { Refusal } from './refusal.ts';

/**
 * Records that her address takes letters again, or was never at fault: due letters are sent there, and a
 * notice of a charge that may not have reached her is sent again. For a complaint it records that somebody
 * has talked with her.
 * @throws {Refusal} when no letter to her current address bounced, and she complained about none
 */
export async function addressWorks(context: ActContext, id: string, asked: Asked): Promise<Told> {
  const record = await findRegistrationOf(context, id);
  const why = whyItWorks(record);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const now = await context.now();
  const says = hasComplained(record)
    ? ['Her complaint is taken off the list. Letters to her went on all the while.']
    : [`Letters go to ${record.registrant.email} again.`, ...toldAgain(record, now)];
  return carryOutFor(context, record, asked, { says }, async (register) => {
    await register.clearBounce(record, asked.by, now);
    return [];
  });
}

/** Why there is nothing to record about her address; undefined if there is. */
export function whyItWorks(record: RegistrationRecord): string | undefined {
  if (isUnreachable(record) || hasComplained(record)) return undefined;
  return 'No letter to her present address came back, and she complained of none.';
}

function toldAgain(record: RegistrationRecord, now: Date): readonly string[] {
  const { bounced } = record;
  if (!bounced) return [];
  const after = { ...record, bounced: { ...bounced, over: now, lostUntil: now } };
  const charge = owesNothing(record) ? [] : [`Charged automatically: ${chargeWords(after, now)}.`];
  return [...charge, 'Other letters that came back are not sent again automatically.'];
}
