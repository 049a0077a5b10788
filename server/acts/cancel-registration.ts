import { canUndoCancel, refundAt, undoUntil, workedOffFrom } from '#server/record/cancel-plan.ts';
import { balanceOfRecord, type RegistrationRecord } from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import type { Refund } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { type Asked, carryOutFor, decide, type Told, whyNotDecided } from './carry-out.ts';
import { chargeWords } from './charge-words.ts';
import { withoutDecision } from './decide-registration.ts';
import { moment } from './plain-words.ts';
import { Refusal } from './refusal.ts';
import { writtenMoment } from './retreat-dates.ts';

/**
 * Records that she cancelled in writing: nothing more is charged. The refund depends on the moment at which
 * she wrote; the worker makes it automatically, once the cancellation cannot be undone any more.
 */
export function cancel(context: ActContext, id: string, asked: Asked & { written: string }): Promise<Told> {
  return decide(context, id, 'cancel', asked, (record, act) => {
    const why = whyNotCancelled(record, act.at);
    if (why !== undefined) throw new Refusal('wrongState', why);
    const writtenAt = writtenMoment(record, asked.written, act.at);
    const decision = { ...act, writtenAt };
    const after = { ...record, decisions: { ...record.decisions, cancel: decision } };
    const refund = refundAt(record, writtenAt);
    const until = undoUntil(after);
    const says = [
      `She cancels as of ${moment(writtenAt, record)}. Nothing more is charged.`,
      ...(refund.lines.length > 1 ? [{ sum: refund.lines }] : []),
      ...comesBack(after, refund),
      until ? `Until ${moment(until, record)} it can be taken back.` : '',
    ];
    return { decision, says };
  });
}

/** Why her cancellation cannot be recorded now; undefined if it can. */
export function whyNotCancelled(record: RegistrationRecord, now: Date): string | undefined {
  if (record.secondOf === undefined || record.decisions.cancel) return whyNotDecided(record, 'cancel', now);
  return 'She has paid twice: this second payment is given back whole, unless it is somebody else’s.';
}

/** What the worker refunds automatically, and what the office has to do. */
function comesBack(record: RegistrationRecord, { byCardCents, byCheckCents }: Refund): readonly string[] {
  const from = workedOffFrom(record);
  const when = from ? `after ${moment(from, record)}` : '';
  const card = `${formatCents(byCardCents)} goes back to her card automatically, ${when}.`;
  const check = `${formatCents(byCheckCents)} is owed by check, ${when}: send it then, and record that it was sent.`;
  return [
    byCardCents > 0 ? card : '',
    byCheckCents > 0 ? check : '',
    byCardCents + byCheckCents === 0 ? `Nothing comes back. It is carried out ${when}.` : '',
    record.disputed
      ? 'She disputes a charge: none of it happens before it is recorded that the dispute is over.'
      : '',
  ];
}

/** Undoes a cancellation that is not carried out yet: she wants to attend after all, or it was a mistake. */
export async function undoCancel(context: ActContext, id: string, asked: Asked): Promise<Told> {
  const record = await findRegistrationOf(context, id);
  const at = await context.now();
  const why = whyNotUndone(record, at);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const act = { at, by: asked.by };
  const after = withoutDecision(record, 'cancel', act);
  const says = ['She did not cancel: her place is hers again.', ...balanceThen(after, at)];
  return carryOutFor(context, record, asked, { says, settles: 'undo' }, async (register) => {
    await register.decide(record, 'cancel', { ...act, withdrawn: true });
    return [];
  });
}

/** Why a cancellation cannot be undone now; undefined if it can. */
export function whyNotUndone(record: RegistrationRecord, now: Date): string | undefined {
  if (!record.decisions.cancel) return 'She has not cancelled.';
  if (canUndoCancel(record, now)) return undefined;
  if (record.secondOf !== undefined) return 'It is a second payment, which is given back for good.';
  if (record.cancelled)
    return `It was carried out on ${moment(record.cancelled.at, record)}: she can register again.`;
  const until = undoUntil(record);
  if (until && now >= until) return `It could be taken back until ${moment(until, record)}.`;
  return 'The retreat is over.';
}

function balanceThen(record: RegistrationRecord, now: Date): readonly string[] {
  if (owesNothing(record)) return ['Nothing is left to pay.'];
  return [
    `The balance of ${formatCents(balanceOfRecord(record).byCardCents)} is to be paid again.`,
    `Charged automatically: ${chargeWords(record, now)}.`,
    'The earlier announcement of the charge no longer counts: a new letter has to reach her first.',
  ];
}
