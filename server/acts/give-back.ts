import { leftToRefund } from '#server/record/cancel-plan.ts';
import { isOfHolderBefore } from '#server/record/hand-over.ts';
import { paidBalances, type RegistrationRecord } from '#server/record/registration-record.ts';
import { owedByCheck, owesNothing } from '#server/record/registration-state.ts';
import { formatCents } from '#shared/money.ts';
import type { ActContext } from './act-context.ts';
import { type Asked, decide, type Told } from './carry-out.ts';
import { chargeWords } from './charge-words.ts';
import { moment } from './plain-words.ts';
import { Refusal, wrongUsage } from './refusal.ts';
import { dayEnd, localMoment } from './retreat-dates.ts';

/** Refunds an amount to her card as an exception, whatever the policy says. */
export function refund(
  context: ActContext,
  id: string,
  cents: number,
  asked: Asked & { reason: string },
): Promise<Told> {
  return decide(context, id, 'refund', asked, (record, act) => {
    const why = whyNotGivenBack(record);
    if (why !== undefined) throw new Refusal('wrongState', why);
    const left = leftToRefund(record);
    if (cents === 0) throw wrongUsage('The amount must be more than $0');
    if (cents > left.balance + left.deposit) {
      const most = formatCents(left.balance + left.deposit);
      throw new Refusal('wrongState', `No more than ${most} of what her card paid is left to give back.`);
    }
    const ofBalance = Math.min(cents, left.balance);
    const lines = [
      { words: `of the balance, of which ${formatCents(left.balance)} is left`, cents: ofBalance },
      { words: `of the deposit, of which ${formatCents(left.deposit)} is left`, cents: cents - ofBalance },
    ];
    const says = [
      `${formatCents(cents)} goes back to her card as soon as the site gets to it, as an exception.`,
      { sum: lines.filter((line) => line.cents > 0) },
      ...(['balance', 'deposit'] as const).map((of, index) =>
        paymentsFor(of, record).some((payment) => isOfHolderBefore(record, { payment })) &&
        (lines[index]?.cents ?? 0) > 0
          ? `The ${of} was paid by ${record.namesBefore}, whose card gets it; no letter says so: please tell her.`
          : '',
      ),
      owesNothing(record)
        ? ''
        : `Charged automatically: ${chargeWords(withRefund(record, cents - ofBalance), act.at)}.`,
      'What has gone back cannot be taken back.',
    ];
    return { decision: { ...act, cents, reason: asked.reason }, says };
  });
}

function paymentsFor(of: 'deposit' | 'balance', record: RegistrationRecord): readonly string[] {
  return of === 'deposit' ? [record.id] : paidBalances(record).map(({ id }) => id);
}

/** Why no exceptional refund can be made, beside the reasons of `whyNotDecided`; undefined if one can. */
export function whyNotGivenBack({ disputed }: RegistrationRecord): string | undefined {
  if (!disputed) return undefined;
  return 'She disputes a charge: nothing is given back before it is recorded that the dispute is over.';
}

/** The same for a check. */
export function whyNoCheckSent({ disputed }: RegistrationRecord): string | undefined {
  if (!disputed) return undefined;
  return 'She disputes a charge: nothing is owed by check before it is recorded that the dispute is over.';
}

/** The registration as it would be after a refund of this amount of the deposit. */
function withRefund(record: RegistrationRecord, cents: number): RegistrationRecord {
  const made = { id: '', payment: record.id, cents, at: new Date() };
  const refund = { ...made, of: 'deposit', status: 'pending' } as const;
  return { ...record, refunds: [...record.refunds, refund] };
}

/** Records that the office sent her, on a given day, the check that it owed her. */
export function refundByCheck(
  context: ActContext,
  id: string,
  cents: number,
  asked: Asked & { sent: string },
): Promise<Told> {
  return decide(context, id, 'checkSent', asked, (record, act) => {
    const why = whyNoCheckSent(record);
    if (why !== undefined) throw new Refusal('wrongState', why);
    const owed = owedByCheck(record);
    if (cents !== owed)
      throw new Refusal(
        'wrongState',
        `${formatCents(owed)} is owed to her by check, not ${formatCents(cents)}.`,
      );
    const sentAt = localMoment(record, asked.sent);
    if (sentAt > act.at) throw new Refusal('wrongState', 'A check cannot have been sent in the future.');
    const since = record.cancelled?.at ?? record.decisions.refund?.at;
    if (since && dayEnd(record, asked.sent) <= since)
      throw new Refusal('wrongState', `It was not owed before ${moment(since, record)}.`);
    const says = [
      `Her check of ${formatCents(cents)} was sent on ${asked.sent}. Nothing more is owed to her.`,
      'It can be withdrawn, should it be a slip.',
    ];
    return { decision: { ...act, cents, sentAt }, says };
  });
}
