import { momentOf } from '#shared/content/own-page-plan.ts';
import type { OwnPageAnswer, OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import {
  ANSWER_LENGTH,
  answerField,
  type Question,
  questionWords as words,
} from '#shared/content/questions.ts';
import { formPaths } from '#shared/own-page.ts';
import { FieldFrame, FormDocument, type FormDocumentProps, OwnPageForm } from './form-document.tsx';
import { PressLink, Section } from './parts.tsx';

export function QuestionsOpen({ view }: { view: OwnPageView }) {
  const { questions, mayAct } = view;
  if (!questions?.isOpen || !mayAct) return null;
  const open = questions.asked.filter(({ id }) => !answerTo(id, view));
  if (!open.some(({ required }) => required)) return null;
  return (
    <Section className="place-note" id="questions-open" title={words.open(open.length)}>
      <p>{words.openText(untilOf(view))}</p>
      <p>
        <a href={formPaths.questions}>{words.answer}</a>
      </p>
    </Section>
  );
}

export function QuestionsSection({ view }: { view: OwnPageView }) {
  const { questions, mayAct } = view;
  if (!questions) return null;
  const { asked, answers, isOpen } = questions;
  const others = answers.filter(({ question }) => !asked.some(({ id }) => id === question));
  return (
    <Section className="place-questions" id="questions" title={words.title}>
      <dl>
        {asked.map(({ id, text }) => (
          <Row key={id} text={text} answer={answerTo(id, view)} />
        ))}
        {others.map((answer) => (
          <Row key={answer.question} text={answer.asked} answer={answer} />
        ))}
      </dl>
      <p>{isOpen ? words[answers.length > 0 ? 'until' : 'by'](untilOf(view)) : words.closed}</p>
      {isOpen && mayAct && (
        <PressLink href={formPaths.questions}>{answers.length > 0 ? words.change : words.answer}</PressLink>
      )}
    </Section>
  );
}

interface RowProps {
  text: string;
  answer: OwnPageAnswer | undefined;
}

function Row({ text, answer }: RowProps) {
  return (
    <div>
      <dt>{text}</dt>
      <dd>{answer?.answer ?? words.none}</dd>
    </div>
  );
}

export function QuestionsDocument(props: FormDocumentProps) {
  const { view, sent } = props;
  const { title, lede } = words.form;
  return (
    <FormDocument {...props} title={title} lede={lede(untilOf(view))}>
      <OwnPageForm {...props} action={formPaths.questions} words={words.form}>
        {view.questions?.asked.map((question) => (
          <Field key={question.id} question={question} answer={answerTo(question.id, view)} sent={sent} />
        ))}
      </OwnPageForm>
    </FormDocument>
  );
}

interface FieldProps {
  question: Question;
  answer: OwnPageAnswer | undefined;
  sent: Sent | undefined;
}

function Field({ question: { id, text, note, choices, required }, answer, sent }: FieldProps) {
  const { answer: old = '' } = answer ?? {};
  const { required: isRequired, choose, noAnswer } = words.form;
  const label = (
    <>
      {text} {required && <span className="place-required">{isRequired}</span>}
    </>
  );
  return (
    <FieldFrame name={answerField(id)} label={label} note={note} defaultValue={old} sent={sent}>
      {(control) =>
        choices ? (
          <select {...control} required={required}>
            <option value="">{required ? choose : noAnswer}</option>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
            {old !== '' && !choices.includes(old) && <option>{old}</option>}
          </select>
        ) : (
          <textarea {...control} required={required} rows={3} maxLength={ANSWER_LENGTH} />
        )
      }
    </FieldFrame>
  );
}

function answerTo(question: string, { questions }: OwnPageView): OwnPageAnswer | undefined {
  return questions?.answers.find((answer) => answer.question === question);
}

function untilOf(view: OwnPageView): string {
  const { questions } = view.edition;
  return questions ? momentOf(new Date(questions.editableUntil), view) : '';
}
