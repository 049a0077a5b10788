import type { Edition } from '#shared/content/edition.ts';
import { cancelPageWords, describeRefund } from '#shared/content/own-page-cancel.ts';
import type { OwnPageRefund } from '#shared/content/own-page-view.ts';
import { formatCents } from '#shared/money.ts';
import { SumRow } from './sum-row.tsx';

/** The refund for a cancellation: for each part of what she paid, unless that is the deposit alone, and in total. */
export function RefundLines({ refund, edition }: { refund: OwnPageRefund; edition: Edition }) {
  const lines = describeRefund(refund, edition);
  const [only] = lines.length === 1 ? lines : [];
  return (
    <dl className="place-sums">
      {!only &&
        lines.map(({ label, sum, note }) => <SumRow key={label} label={label} sum={sum} note={note} />)}
      <SumRow label={cancelPageWords.total} sum={formatCents(refund.cents)} note={only?.note} strong />
    </dl>
  );
}
