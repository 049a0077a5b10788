import type { IRouter } from 'express';
import * as v from 'valibot';
import { cleanText } from '#server/letters/message.ts';
import type { Given } from '#server/payments/her-details.ts';
import { isAboutHealth } from '#server/record/answers.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { canAnswer } from '#server/record/registration-state.ts';
import {
  ANSWER_LENGTH,
  answerField,
  consentField,
  type Question,
  questionWords,
} from '#shared/content/questions.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { pressToken } from './press.ts';

/**
 * The presses with which she answers the questions of her edition, and takes back her consent to an answer about her
 * health. They need no proof: they move no money, and such an answer is not shown again.
 */
export function addQuestionActs(app: IRouter, { payments, forms }: OwnPageContext): void {
  const answers = forms.submit('questions', answersForm, async ({ record, typed, at }) => {
    if (!canAnswer(record, at)) return 'changed';
    const { given, errors } = readAnswers(record, typed);
    if (Object.keys(errors).length > 0) return { errors };
    await payments.answerQuestions(record, given, at);
    return 'answers-saved';
  });
  const remove = forms.press(removeForm, async ({ record, typed, at }) => {
    const isRemoved = await payments.removeHealthAnswer(record, typed.question, at);
    return isRemoved ? 'health-removed' : 'changed';
  });

  app.post(formPaths.questions, ...forms.before, answers);
  app.post(formPaths.healthRemoved, ...forms.before, remove);
}

/** A field for each question, see `answerField`, and one for the consent to each answer about her health. */
const answersForm = v.objectWithRest({ token: pressToken }, v.string());
/** A program that presses what it finds in a letter sets no tick. */
const removeForm = v.object({ token: pressToken, question: v.string(), sure: v.literal('on') });

type Typed = Readonly<Record<string, string>>;

/** What she answers, and what is wrong with it, by field. A question whose field is not sent keeps its answer. */
function readAnswers({ edition, answers }: RegistrationRecord, typed: Typed) {
  const given: Given[] = [];
  const errors: Record<string, string> = {};
  for (const question of edition.questions?.items ?? []) {
    const { id, choices, required, health } = question;
    const sent = typed[answerField(id)];
    const answer = choices ? (sent ?? '') : cleanText(sent ?? '');
    const before = answers.find((one) => one.question === id);
    const isHidden = health !== undefined || (before !== undefined && isAboutHealth(before, edition));
    // A choice may have been reworded since she made it.
    const isKept = !isHidden && answer === before?.answer;
    const error = isKept ? undefined : errorOf(question, answer);
    if (error !== undefined) errors[answerField(id)] = error;
    else if (answer === '' && required && (!before || (sent !== undefined && !isHidden)))
      errors[answerField(id)] = questionWords.errors.required(question.text);
    else if (answer !== '' && health && typed[consentField(id)] !== health.digest)
      errors[consentField(id)] = questionWords.errors.noConsent;
    // An empty field keeps an answer about her health, because she does not see it.
    else if (sent !== undefined && !(answer === '' && isHidden)) given.push({ question, answer });
  }
  return { given, errors };
}

function errorOf({ choices, text }: Question, answer: string): string | undefined {
  if (choices)
    return answer === '' || choices.includes(answer) ? undefined : questionWords.errors.noChoice(text);
  return answer.length > ANSWER_LENGTH ? questionWords.errors.tooLong(text) : undefined;
}
