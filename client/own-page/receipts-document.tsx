import { PlainDocument } from '#client/ui/plain-document.tsx';
import { Entries } from '#client/ui/texts.tsx';
import { dayOf } from '#shared/content/own-page-plan.ts';
import type { OwnPagePayment, OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords, receiptWords } from '#shared/content/own-page-words.ts';
import { nameOfTax, taxIn } from '#shared/content/sells.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { dateAt, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import type { PageProps } from './link-frame.tsx';
import { OfficeNote } from './office-section.tsx';
import { Section } from './parts.tsx';

/** Each payment with its parts, to print or keep. */
export function ReceiptsDocument({ view, office, styles }: PageProps & { view: OwnPageView }) {
  const { edition, reduced, repayments, now } = view;
  // The others have theirs who paid them.
  const payments = view.payments.filter(({ isEarlier }) => !isEarlier);
  const { siteName } = edition.facts;
  const words = receiptWords;
  return (
    <PlainDocument title={`${words.title} – ${siteName}`} styles={styles} className="place receipts">
      <OfficeNote view={view} />
      <p className="receipts-back">
        <a className="place-link" href={OWN_PAGE_PATH}>
          {words.back}
        </a>
      </p>
      <h1>{words.title}</h1>
      <p className="receipts-print">{words.howToPrint}</p>
      <Sender office={office} siteName={siteName} />
      {payments.length === 0 && <p>{words.none}</p>}
      {payments.map((payment, index) => {
        const id = `receipt-${index + 1}`;
        return <Receipt key={id} id={id} payment={payment} view={view} />;
      })}
      <div className="receipts-rest">
        {reduced && <p>{words.reduced(reduced)}</p>}
        {repayments.map(({ cents, by, at, pending }) => (
          <p key={at.toISOString()}>
            {words[pending ? 'repaidPending' : 'repaid'](
              cents,
              ownPageWords.payments.repaidBy[by],
              dayOf(at, view),
            )}
          </p>
        ))}
        <p>{words.asOf(dateAt(now, edition.timetable.timeZone.id))}</p>
      </div>
    </PlainDocument>
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
  /** Of its heading. */
  id: string;
  payment: OwnPagePayment;
  view: OwnPageView;
}

function Receipt({ id, payment, view }: ReceiptProps) {
  const { edition, registrant, tax } = view;
  const { facts } = edition;
  const { what, by, cents, feeCents, paidAt, reference } = payment;
  const part = payment.part && nameOfPart(payment.part);
  const words = receiptWords;
  const rows = [
    { title: words.for, text: `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}` },
    { title: words.name, text: `${registrant.firstName} ${registrant.lastName}` },
    { title: words.paidOn, text: dayOf(paidAt, view) },
    { title: words.by, text: ownPageWords.payments.by[by] },
    {
      title: part ? words.tuitionOfPart(part) : words.tuition[what],
      text: formatCents(cents - feeCents),
    },
    ...(feeCents > 0 ? [{ title: words.fee(facts.prices.cardFee), text: formatCents(feeCents) }] : []),
    { title: words.total, text: words.inDollars(cents) },
    ...(tax ? [{ title: words.tax(nameOfTax(tax)), text: formatCents(taxIn(cents, tax)) }] : []),
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
