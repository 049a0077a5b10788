import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { REDUCTIONS } from '#shared/content/tuition.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { SumRow } from './sum-row.tsx';

const words = ownPageWords.payments;

/** Payments received, what is not asked of her, refunds, and what is still open. */
export function PaymentsSection({ view }: { view: OwnPageView }) {
  const { payments, reduced, repayments, edition } = view;
  const dayOf = (moment: Date) => formatDate(dateAt(moment, edition.timetable.timeZone.id));
  const isEmpty = payments.length + repayments.length === 0 && !reduced && view.standing.kind === 'held';
  if (isEmpty) return null;
  return (
    <section className="place-payments" aria-labelledby="payments">
      <h2 id="payments">{words.title}</h2>
      <dl className="place-sums">
        {payments.map(({ what, by, cents, feeCents, paidAt, reference, isEarlier }) => (
          <SumRow
            key={`${what} ${reference ?? paidAt.toISOString()}`}
            label={words.what[what]}
            sum={formatCents(cents)}
            note={[
              `${words.by[by]}, ${dayOf(paidAt)}`,
              ...(feeCents > 0 ? [words.fee(feeCents)] : []),
              ...(isEarlier ? [words.earlier] : []),
            ].join('; ')}
          />
        ))}
        {reduced && <SumRow label={REDUCTIONS[reduced.as]} sum={formatCents(reduced.cents)} />}
        {repayments.map(({ cents, by, at, pending }) => (
          <SumRow
            key={at.toISOString()}
            label={words.repaid[pending ? 'pending' : 'done']}
            sum={formatCents(cents)}
            note={`${words.repaidBy[by]}, ${dayOf(at)}`}
          />
        ))}
        <Open view={view} dayOf={dayOf} />
      </dl>
      {payments.length > 0 && (
        <p>
          <a className="place-link" href={ownPagePaths.receipts}>
            {words.receipts}
          </a>
        </p>
      )}
    </section>
  );
}

function Open({ view, dayOf }: { view: OwnPageView; dayOf: (moment: Date) => string }) {
  const { standing, edition } = view;
  if (!('cents' in standing) || standing.kind === 'cancelled' || standing.kind === 'held') return null;
  const due = 'dueAt' in standing ? standing.dueAt : 'payBy' in standing ? standing.payBy : undefined;
  const how = standing.kind === 'by-check' ? words.openByCheck : words.openByCard(edition.facts);
  return (
    <SumRow
      label={words.open}
      sum={formatCents(standing.cents)}
      note={due ? `${how}; ${words.due(dayOf(due))}` : how}
      strong
    />
  );
}
