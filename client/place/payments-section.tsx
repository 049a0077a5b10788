import type { PlaceView } from '#shared/content/place-view.ts';
import { placeWords } from '#shared/content/place-words.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { placePaths } from '#shared/place.ts';

const words = placeWords.payments;

/** What came in, what was taken off or given back, and what is open. */
export function PaymentsSection({ view }: { view: PlaceView }) {
  const { payments, waivedCents, refundedCents, edition } = view;
  const dayOf = (moment: Date) => formatDate(dateAt(moment, edition.timetable.timeZone.id));
  return (
    <section className="place-payments" aria-labelledby="payments">
      <h2 id="payments">{words.title}</h2>
      <dl>
        {payments.map(({ what, by, cents, feeCents, paidAt }) => (
          <Row
            key={what}
            label={words.what[what]}
            cents={cents}
            note={`${words.by[by]}, ${dayOf(paidAt)}${feeCents > 0 ? `; ${words.fee(feeCents)}` : ''}`}
          />
        ))}
        {waivedCents > 0 && <Row label={words.waived} cents={waivedCents} />}
        {refundedCents > 0 && <Row label={words.refunded} cents={refundedCents} />}
        <Open view={view} dayOf={dayOf} />
      </dl>
      {payments.length > 0 && (
        <p>
          <a className="place-link" href={placePaths.receipts}>
            {words.receipts}
          </a>
        </p>
      )}
    </section>
  );
}

function Open({ view, dayOf }: { view: PlaceView; dayOf: (moment: Date) => string }) {
  const { standing, edition } = view;
  if (!('cents' in standing)) return null;
  const due = 'dueAt' in standing ? standing.dueAt : 'payBy' in standing ? standing.payBy : undefined;
  const how = standing.kind === 'by-check' ? words.openByCheck : words.openByCard(edition.facts);
  return (
    <Row
      label={words.open}
      cents={standing.cents}
      note={due ? `${how}; ${words.due(dayOf(due))}` : how}
      open
    />
  );
}

function Row({ label, cents, note, open }: { label: string; cents: number; note?: string; open?: boolean }) {
  return (
    <div className={open ? 'place-sum place-sum--open' : 'place-sum'}>
      <dt>{label}</dt>
      <dd>
        <strong>{formatCents(cents)}</strong>
        {note && <span>{note}</span>}
      </dd>
    </div>
  );
}
