import { refundAt } from '#server/record/cancel-plan.ts';
import { hasPlace } from '#server/record/place-of-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { formatCents } from '#shared/money.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { type Asked, decide, type Told, whyNotDecided } from './carry-out.ts';
import { chargeWords } from './charge-words.ts';
import { whyNotGivenBack } from './give-back.ts';
import { Refusal } from './refusal.ts';

/** Gives all of a second payment back, with its card fee and at once; the person keeps the place that she paid first. */
export function refundSecond(context: ActContext, id: string, asked: Asked): Promise<Told> {
  return decide(context, id, 'cancel', asked, async (record, act) => {
    const why = whyNoSecondRefund(record, act.at);
    if (why !== undefined) throw new Refusal('wrongState', why);
    if (!hasPlace(await findRegistrationOf(context, record.secondOf ?? ''))) throw noOtherPlace();
    const { byCardCents, byCheckCents, lines } = refundAt(record, act.at);
    const says = [
      `She had paid for her place before, by ${record.secondOf}, and keeps it.`,
      { sum: lines },
      byCardCents > 0
        ? `${formatCents(byCardCents)} goes back to her card as soon as the site gets to it.`
        : '',
      byCheckCents > 0
        ? `${formatCents(byCheckCents)} is owed by check: send it, and record that it was sent.`
        : '',
      'It cannot be taken back.',
    ];
    // The press that confirms it has to lead to the same decision as the one that described it.
    return { decision: { ...act, writtenAt: record.paidAt ?? record.begunAt }, says };
  });
}

function noOtherPlace(): Refusal {
  return new Refusal(
    'wrongState',
    'She has cancelled or lost the place that she paid first: it may be this one that she wants to keep. Ask her.',
  );
}

/** Why there is no second payment to be given back now; undefined if there is. */
export function whyNoSecondRefund(record: RegistrationRecord, now: Date): string | undefined {
  return whyNotDecided(record, 'twoPeople', now) ?? whyNotGivenBack(record);
}

/** Records that what looks like a second payment is somebody else's: it goes on as any other registration. */
export function twoPeople(context: ActContext, id: string, asked: Asked): Promise<Told> {
  return decide(context, id, 'twoPeople', asked, (record, act) => {
    const { secondOf, ...alone } = record;
    const says = [
      `This is somebody else than who paid ${secondOf}: the place is hers, and the welcome is sent to her.`,
      `Charged automatically: ${chargeWords(alone, act.at)}.`,
    ];
    return { decision: act, says };
  });
}
