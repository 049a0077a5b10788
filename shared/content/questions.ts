import { countInWords } from '#shared/dates.ts';

export interface Questions {
  /** When a letter reminds her of those that she must answer and has not: an ISO moment with UTC offset. */
  remindAt: string;
  editableUntil: string;
  items: readonly Question[];
}

export interface Question {
  /** Names her answers: never changed once the question was asked. */
  id: string;
  text: string;
  note?: string;
  /** Absent where she answers in her own words. */
  choices?: readonly string[];
  required: boolean;
}

export const ANSWER_LENGTH = 500;

export const answerField = (id: string): string => `answer-${id}`;

/** `three questions`. */
export function countQuestions(count: number): string {
  return count === 1 ? 'one question' : `${countInWords(count)} questions`;
}

const capitalised = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

export const questionWords = {
  title: 'Questions',
  open: (count: number) => `${capitalised(countQuestions(count))} for you`,
  openText: (until: string) => `Please answer by ${until}, so that we can prepare for you.`,
  answer: 'Answer the questions',
  change: 'Change your answers',
  by: (until: string) => `Please answer by ${until}.`,
  until: (until: string) => `You can change your answers until ${until}.`,
  closed: 'Your answers can no longer be changed here. If one is not right any more, write to the office.',
  none: 'Not answered',
  form: {
    title: 'Questions for you',
    lede: (until: string) =>
      `The retreat office reads your answers, to prepare for you. You can change them until ${until}.`,
    required: 'required',
    choose: 'Please choose',
    noAnswer: 'No answer',
    submit: 'Save',
  },
  errors: {
    required: (question: string) => `Please answer: ${question}`,
    tooLong: (question: string) => `At most ${ANSWER_LENGTH} characters: ${question}`,
    noChoice: (question: string) => `Please choose one of the answers: ${question}`,
  },
} as const;
