import { dayOf, describePart, isAgreementAsked, planNotes } from '#shared/content/own-page-plan.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { REDUCTIONS, titleOfPart } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { PlaceLink, Section, SumRow } from './parts.tsx';

const words = ownPageWords.payments;

/** Payments received, what is not asked of her, refunds, and what is still open. */
export function PaymentsSection({ view }: { view: OwnPageView }) {
  const { payments, reduced, repayments } = view;
  const isEmpty = payments.length + repayments.length === 0 && !reduced && view.standing.kind === 'held';
  if (isEmpty) return null;
  return (
    <Section className="place-payments" id="payments" title={words.title}>
      <PlanNote view={view} />
      <dl className="place-sums">
        {payments.map(({ what, by, cents, feeCents, paidAt, reference, part, isEarlier }) => (
          <SumRow
            key={`${what} ${reference ?? paidAt.toISOString()}`}
            label={part ? titleOfPart(part) : words.what[what]}
            sum={formatCents(cents)}
            note={[
              `${words.by[by]}, ${dayOf(paidAt, view)}`,
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
            note={`${words.repaidBy[by]}, ${dayOf(at, view)}`}
          />
        ))}
        {view.plan ? <OpenParts view={view} plan={view.plan} /> : <Open view={view} />}
      </dl>
      {payments.length > 0 && <PlaceLink href={ownPagePaths.receipts}>{words.receipts}</PlaceLink>}
    </Section>
  );
}

/** Whether she has agreed to her payment plan, and the way to it. */
function PlanNote({ view }: { view: OwnPageView }) {
  const { plan, mayAct } = view;
  if (!plan) return null;
  const { agreedOn, isPaused } = plan;
  const isAsked = isAgreementAsked(view);
  const note = isPaused
    ? planNotes.paused
    : agreedOn
      ? planNotes.agreed(dayOf(agreedOn, view))
      : planNotes.asked;
  return (
    <>
      <p>{note}</p>
      {mayAct && <PlaceLink href={formPaths.plan}>{isAsked ? planNotes.open : planNotes.look}</PlaceLink>}
    </>
  );
}

function OpenParts({ view, plan }: { view: OwnPageView; plan: NonNullable<OwnPageView['plan']> }) {
  const open = plan.parts.filter(({ state }) => state !== 'paid');
  return open.map((part, index) => (
    <SumRow
      key={part.position}
      label={titleOfPart(part)}
      sum={formatCents(part.cents)}
      note={describePart(part, view)}
      strong={index === 0}
    />
  ));
}

function Open({ view }: { view: OwnPageView }) {
  const { standing, edition } = view;
  if (!('cents' in standing) || standing.kind === 'cancelled' || standing.kind === 'held') return null;
  const due = 'dueAt' in standing ? standing.dueAt : 'payBy' in standing ? standing.payBy : undefined;
  const how = (standing.kind === 'by-check' ? words.openByCheck : words.openByCard)(edition.facts);
  return (
    <SumRow
      label={words.open}
      sum={formatCents(standing.cents)}
      note={due ? `${how}; ${words.due(dayOf(due, view))}` : how}
      strong
    />
  );
}
