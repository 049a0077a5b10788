import { DetailsList, Moment, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { Answer } from '#server/record/answers.ts';
import { isAboutHealth, missingAnswers } from '#server/record/questions.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';

interface AnswersProps {
  record: RegistrationRecord;
  /** A user has asked for her answers about her health, which the log notes. */
  showsHealth: boolean;
}

/** What she answered, also to questions that her edition asks no more, and what is missing. */
export function AnswersSection({ record, showsHealth }: AnswersProps) {
  const { answers, edition, forgottenAt } = record;
  const missing = record.deposit === 'paid' && !forgottenAt ? missingAnswers(record) : [];
  if (answers.length === 0 && missing.length === 0) return null;
  const ofHealth = answers.filter((answer) => isAboutHealth(answer, edition));
  const told = ({ asked, answer, at }: Answer) =>
    [
      asked,
      <span key="answer" className="registration-answer">
        {answer}
        <span className="office-fine">
          <Moment at={at} record={record} />
        </span>
      </span>,
    ] as const;
  return (
    <Section className="registration-section" id="answers" title="Answers">
      <DetailsList
        rows={[
          ...answers.filter((answer) => !ofHealth.includes(answer)).map(told),
          ...missing.map(({ text }) => [text, 'Not answered'] as const),
        ]}
      />
      {ofHealth.length > 0 && (
        <details open={showsHealth}>
          <summary>About her health</summary>
          {showsHealth ? (
            <DetailsList rows={ofHealth.map(told)} />
          ) : (
            <p>
              <a className="office-more" href={`${officePaths.registration(record.id)}?health=shown#answers`}>
                Show what she answered about her health
              </a>
              <span className="office-fine">The log notes who looks.</span>
            </p>
          )}
        </details>
      )}
    </Section>
  );
}
