import { type Row, table, verdict } from '#scripts/drills/chaos/report.ts';
import type { YearResult } from './run-year.ts';

/** The tables of a year, and its verdict. */
export function reportOfYear(result: YearResult): string {
  const { stories, money, refunds, letters, digests, unreachable, faults, moves, seconds, problems } = result;
  const registered = stories.filter(({ paidAt }) => paidAt !== undefined);
  const rows: Row[] = [
    ['Registrations', stories.length],
    ['  with a deposit', registered.length],
    ['Balances charged without her', money.charged],
    ['  paid on her page', money.paidByHer],
    ['  refused cards', money.refusals],
    ['Double charges', money.doubleCharges],
    ['Wrong cents', money.wrongCents],
    ['Charged without consent', money.withoutConsent],
    ['Charged without notice', money.withoutNotice],
    ['Charged after cancelling', money.afterCancelling],
    ['Cancelled', refunds.cancelled],
    ['  taken back', refunds.undone],
    ['Refunds to cards', refunds.refunds],
    ['  US cents', refunds.cents],
    ['  by check, US cents', refunds.checkCents],
    ['Wrong cents back', refunds.wrongCents],
    ['Refunded twice', refunds.doubled],
    ['  before it was too late to come', refunds.tooSoon],
    ['  taken back or disputed', refunds.unasked],
    ['Letters expected', letters.expected],
    ['  received', letters.received],
    ['  lost', letters.lost],
    ['  untrue', letters.untrue],
    ['  unasked', letters.unasked],
    ['  repeated under one Message-ID', letters.repeated],
    ['Digests to the office', digests],
    ['  that named somebody unreachable', unreachable],
    ['Moves of the clock', moves],
    ['Seconds', seconds.toFixed(0)],
  ];
  return [table(rows), table([['Faults', 'times'], ...faults.entries()]), verdict(problems)].join('\n');
}
