import { Entries, Paragraphs } from '#client/ui/texts.tsx';
import {
  dayOf,
  describePart,
  describePlan,
  isAgreementAsked,
  planNotes,
  planPageWords,
  sumOfPlan,
} from '#shared/content/own-page-plan.ts';
import type { OwnPagePlan, OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords, receiptWords } from '#shared/content/own-page-words.ts';
import { nameOfPart, type PaymentLine, REDUCTIONS, titleOfPart } from '#shared/content/tuition.ts';
import { dateAt, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { formPaths, ownPagePaths } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import { FormDocument, type FormDocumentProps, OwnPageForm } from './form-document.tsx';
import { OfficeWays, type PageProps, PlaceLink, Section, Sheet, SumRow } from './parts.tsx';

const words = ownPageWords.payments;

export function PaymentsSection({ view }: { view: OwnPageView }) {
  const { payments, reduced, repayments } = view;
  const isEmpty = payments.length + repayments.length === 0 && !reduced && view.state.kind === 'held';
  if (isEmpty) return null;
  return (
    <Section className="place-payments" id="payments" title={words.title}>
      <PlanNote view={view} />
      <dl className="place-sums">
        {payments.map(({ what, way, cents, feeCents, at, reference, part, isEarlier }) => (
          <SumRow
            key={`${what} ${reference ?? at.toISOString()}`}
            label={part ? titleOfPart(part) : words.what[what]}
            sum={formatCents(cents)}
            note={[
              `${words.by[way]}, ${dayOf(at, view)}`,
              ...(feeCents > 0 ? [words.fee(feeCents)] : []),
              ...(isEarlier ? [words.earlier] : []),
            ].join('; ')}
          />
        ))}
        {reduced && <SumRow label={REDUCTIONS[reduced.as]} sum={formatCents(reduced.cents)} />}
        {repayments.map(({ cents, way, at, status }) => (
          <SumRow
            key={at.toISOString()}
            label={words.repaid[status === 'pending' ? 'pending' : 'done']}
            sum={formatCents(0 - cents)}
            note={`${words.repaidBy[way]}, ${dayOf(at, view)}`}
          />
        ))}
        {view.plan ? <OpenParts view={view} plan={view.plan} /> : <Open view={view} />}
      </dl>
      {payments.length > 0 && <PlaceLink href={ownPagePaths.receipts}>{words.receipts}</PlaceLink>}
    </Section>
  );
}

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
  const { state, edition } = view;
  if (!('cents' in state) || state.kind === 'cancelled' || state.kind === 'held') return null;
  const due = 'dueAt' in state ? state.dueAt : 'payBy' in state ? state.payBy : undefined;
  const how = (state.kind === 'by-check' ? words.openByCheck : words.openByCard)(edition.facts);
  return (
    <SumRow
      label={words.open}
      sum={formatCents(state.cents)}
      note={due ? `${how}; ${words.due(dayOf(due, view))}` : how}
      strong
    />
  );
}

export function PlanDocument({ plan, ...props }: FormDocumentProps & { plan: OwnPagePlan }) {
  const words = planPageWords;
  const { view, office } = props;
  const { parts, agreedOn, isPaused, decidedAt } = plan;
  const lede = agreedOn ? words.agreed(dayOf(agreedOn, view)) : words.asked(parts.length);
  return (
    <FormDocument {...props} title={words.title} lede={isPaused ? words.paused : lede}>
      <Section id="parts" title={words.parts}>
        <p>{planNotes.sums(view.edition.facts)}</p>
        <dl className="place-sums">
          {parts.map((part) => (
            <SumRow
              key={part.position}
              label={titleOfPart(part)}
              sum={formatCents(part.cents)}
              note={[
                describePart(part, view),
                ...(part.state === 'paid' ? [] : [words.byCheck(part.beforeFeeCents, view.edition.facts)]),
              ].join('; ')}
            />
          ))}
          <SumRow label={words.total} sum={formatCents(sumOfPlan(plan))} strong />
        </dl>
      </Section>
      <Section id="means" title={words.means}>
        <Paragraphs of={describePlan(view)} />
      </Section>
      {isAgreementAsked(view) && (
        <Section className="place-act" id="act" title={words.act}>
          <OwnPageForm
            {...props}
            action={formPaths.plan}
            words={words}
            hidden={{ decided: decidedAt.toISOString(), cents: sumOfPlan(plan) }}
          />
        </Section>
      )}
      <Section id="otherwise" title={words.otherwise}>
        <p>{words.otherwiseText}</p>
        <OfficeWays office={office} />
      </Section>
    </FormDocument>
  );
}

export function ReceiptsDocument({ view, office, look }: PageProps & { view: OwnPageView }) {
  const { edition, reduced, repayments, now } = view;
  // The others have theirs who paid them.
  const payments = view.payments.filter(({ isEarlier }) => !isEarlier);
  const { siteName } = edition.facts;
  const words = receiptWords;
  return (
    <Sheet view={view} look={look} title={words.title}>
      <p className="receipts-print">{words.howToPrint}</p>
      <Sender office={office} siteName={siteName} />
      {payments.length === 0 && <p>{words.none}</p>}
      {payments.map((payment, index) => {
        const id = `receipt-${index + 1}`;
        return <Receipt key={id} id={id} payment={payment} view={view} />;
      })}
      <div className="receipts-rest">
        {reduced && <p>{words.reduced(reduced)}</p>}
        {repayments.map(({ cents, way, at, status }) => (
          <p key={at.toISOString()}>
            {words[status === 'pending' ? 'repaidPending' : 'repaid'](
              0 - cents,
              ownPageWords.payments.repaidBy[way],
              dayOf(at, view),
            )}
          </p>
        ))}
        <p>{words.asOf(dateAt(now, edition.timetable.timeZone.id))}</p>
      </div>
    </Sheet>
  );
}

function Sender({ office, siteName }: { office: OfficeContact; siteName: string }) {
  const { officeLegalName, officePostalAddress, officeEmail, officePhone } = office;
  return (
    <address>
      {[officeLegalName ?? siteName, officePostalAddress, officeEmail, officePhone]
        .filter(Boolean)
        .map((line) => (
          <span key={line}>{line}</span>
        ))}
    </address>
  );
}

interface ReceiptProps {
  id: string;
  payment: PaymentLine;
  view: OwnPageView;
}

function Receipt({ id, payment, view }: ReceiptProps) {
  const { edition, registrant } = view;
  const { facts } = edition;
  const { what, way, cents, feeCents, at, reference } = payment;
  const part = payment.part && nameOfPart(payment.part);
  const words = receiptWords;
  const rows = [
    { title: words.for, text: `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}` },
    { title: words.name, text: `${registrant.firstName} ${registrant.lastName}` },
    { title: words.paidOn, text: dayOf(at, view) },
    { title: words.by, text: ownPageWords.payments.by[way] },
    {
      title: part ? words.tuitionOfPart(part) : words.tuition[what],
      text: formatCents(cents - feeCents),
    },
    ...(feeCents > 0 ? [{ title: words.fee(facts.prices.cardFee), text: formatCents(feeCents) }] : []),
    { title: words.total, text: words.inDollars(cents) },
    ...(reference ? [{ title: words.reference, text: reference }] : []),
  ];
  return (
    <Section className="receipt" id={id} title={part ? words.ofPart(part) : words.receipt[what]}>
      <dl>
        <Entries of={rows} />
      </dl>
    </Section>
  );
}
