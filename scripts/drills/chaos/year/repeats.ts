import { type Circumstances, jobIdOf, mayRepeat } from '#scripts/drills/chaos/judge-mails.ts';
import type { DatedMail } from './ledger.ts';

/** What may explain that a letter came again. */
export interface YearCircumstances extends Circumstances {
  /** Jobs whose letters were sent, but could not be recorded at Stripe then. */
  unrecorded: ReadonlySet<string>;
}

/** The jobs whose letters were sent and not recorded at once, according to the worker's log. */
export function unrecordedIn(lines: readonly string[]): Set<string> {
  const unrecorded = lines.filter((line) => line.includes('was sent, but Stripe has not recorded it yet'));
  return new Set(unrecorded.flatMap((line) => /"job":"([^"]+)"/.exec(line)?.[1] ?? []));
}

/** The walk later records what could not be recorded at Stripe, unless the queue was lost before. */
export function mayComeAgain(mail: DatedMail, circumstances: YearCircumstances): boolean {
  const isForgotten = circumstances.unrecorded.has(jobIdOf(mail)) && wasForgotten(mail, circumstances);
  return isForgotten || mayRepeat(mail, circumstances);
}

/** Only the queue knows that a digest was sent. */
export function wasForgotten({ atMs }: DatedMail, { faults }: YearCircumstances): boolean {
  return faults.some(({ kind, untilMs }) => kind === 'redis-forgets' && untilMs >= atMs);
}
