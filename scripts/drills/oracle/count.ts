import { type Outcome, type Row, table } from '#scripts/drills/drill.ts';

/** What the oracle counts, in the order of the reports. */
const COUNTED = [
  'Registrations',
  '  with a deposit',
  '  unpaid, and lost with the register',
  '  sent again without an answer',
  'Consents expected',
  '  on record',
  '  lost with the register',
  'Balances charged without her',
  '  paid on her page',
  '  in parts',
  '  refused cards',
  'Double charges',
  'Wrong cents',
  'Charged without consent',
  'Charged without notice',
  'Charged after cancelling',
  'Cancelled',
  '  taken back',
  'Refunds to cards',
  '  US cents',
  'Wrong cents back',
  'Refunded twice',
  '  before it was too late to come',
  '  taken back or disputed',
  'US cents in the books',
  'Wrong cents in the books',
  'Letters expected',
  '  received',
  '  lost',
  '  untrue',
  '  unasked',
  '  repeated under one Message-ID',
  'Digests to the office',
  '  that named somebody unreachable',
] as const;
type Counted = (typeof COUNTED)[number];

/** What came of a run: how often what happened, and what is wrong. */
export class Verdict {
  readonly problems: string[] = [];
  readonly logLines: string[] = [];
  readonly faults = new Map<string, number>();
  readonly #counts = new Map<string, number>(COUNTED.map((what) => [what, 0]));

  count(what: Counted, times = 1): void {
    this.#counts.set(what, this.of(what) + times);
  }

  blame(what: Counted | undefined, says: string): void {
    if (what) this.count(what);
    this.problems.push(says);
  }

  of(what: Counted): number {
    return this.#counts.get(what) ?? 0;
  }

  meet(fault: string, times: number): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + times);
  }

  /** The tables of the run, what there was none of left out. */
  outcome(others: readonly Row[] = []): Outcome & { verdict: Verdict } {
    const { problems, logLines } = this;
    const rows: Row[] = [...[...this.#counts].filter(([, times]) => times > 0), ...others];
    const report = [rows, [['Faults', 'times'], ...this.faults] as Row[]].map(table).join('\n');
    return { verdict: this, report, problems, logLines };
  }
}
