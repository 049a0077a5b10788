import { type Details, DetailsList, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { purchaseOf } from '#server/office/summary-words.ts';
import { moment } from '#server/office/words.ts';
import {
  type Agreement,
  HOW_AGREED,
  missingAnswers,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { termsPathOf } from '#shared/content/policies.ts';

/** What she bought and agreed to, also she who had the place before: not folded, because folds stay shut on paper. */
export function RecordSection({ record }: { record: RegistrationRecord }) {
  const { agreement, agreementBefore, depositPayment, id } = record;
  return (
    <Section id="on-record" title="What is on record">
      <DetailsList
        rows={[
          ...purchaseOf(record),
          ['Registration', <code key="id">{id}</code>],
          ['Deposit at Stripe', depositPayment?.id && <code key="id">{depositPayment.id}</code>],
        ]}
      />
      <h3 id="agreed">What she agreed to</h3>
      {agreement ? (
        <DetailsList rows={agreedRows(agreement, record)} />
      ) : (
        <p>It is not on record that she agreed to the terms.</p>
      )}
      {agreementBefore && (
        <>
          <h3>What agreed to who had the place before</h3>
          <DetailsList rows={agreedRows(agreementBefore, record)} />
        </>
      )}
      <p className="fine on-screen">
        For her bank, if she disputes a charge: print this page. On paper it has what she bought, paid and
        agreed to, and her messages, and nothing that is yours alone. For her, if she asks what is kept about
        her: send her, and nobody else,{' '}
        <a href={officePaths.export(id)}>her data as a file, with your notes</a>.
      </p>
    </Section>
  );
}

function agreedRows(agreement: Agreement, record: RegistrationRecord): Details {
  const { version, digest, agreedAt, spoken } = agreement;
  const { agreed, facts } = record.edition;
  const terms = agreed.find((one) => one.version === version && one.digest === digest);
  const path = terms && termsPathOf(facts, terms);
  const { timeZone } = record.registrant;
  return [
    [
      'Terms',
      path ? (
        <a key="terms" href={path}>
          version {version}
        </a>
      ) : (
        `version ${version}, of an older release`
      ),
    ],
    ['SHA-256 of their text', <code key="digest">{digest}</code>],
    ['When', spoken ? moment(spoken.on, record) : `${agreedAt.toISOString()}, by the clock of the site`],
    [
      'From where',
      spoken
        ? `${HOW_AGREED[spoken.how]}; recorded by ${spoken.by} on ${moment(agreedAt, record)}`
        : `on the page, whose form takes no payment without the tick${timeZone ? `; her browser’s time zone was ${timeZone}` : ''}`,
    ],
  ];
}

/** What she answered, also to questions that her edition asks no more, and what is missing. */
export function AnswersSection({ record }: { record: RegistrationRecord }) {
  const { answers, forgottenAt } = record;
  const missing = record.deposit === 'paid' && !forgottenAt ? missingAnswers(record) : [];
  if (answers.length === 0 && missing.length === 0) return null;
  return (
    <details className="on-screen">
      <summary>
        Answers ({answers.length} of {answers.length + missing.length})
      </summary>
      <DetailsList
        rows={[
          ...answers.map(({ asked, answer }) => {
            const words = (
              <span key={asked} className="as-written">
                {answer}
              </span>
            );
            return [asked, words] as const;
          }),
          ...missing.map(({ text }) => [text, 'Not answered'] as const),
        ]}
      />
    </details>
  );
}
