import { countInWords } from '#shared/dates.ts';

/** What an edition asks its registrants on their pages, once the deposit is paid. */
export interface Questions {
  /** When a letter reminds her of those that she must answer and has not: an ISO moment with UTC offset. */
  remindAt: string;
  /** Until when she can answer, and change her answers. */
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
  /** Present if it is about her health: the sentence by which she consents, and what identifies it. */
  health?: HealthConsent;
}

export interface HealthConsent {
  consent: string;
  /** SHA-256 of question and sentence, in hexadecimal digits. */
  digest: string;
}

/** The longest answer in her own words, in characters. */
export const ANSWER_LENGTH = 500;

/** The names of the form's fields: of an answer, and of the consent to one about her health, whose value is its digest. */
export const answerField = (id: string): string => `answer-${id}`;
export const consentField = (id: string): string => `consent-${id}`;

/** For how many days after the retreat answers about health are kept. */
export const HEALTH_KEPT_DAYS = 30;

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the answers about health are removed. */
export function healthKeptUntil({ endsAt }: { endsAt: string }): Date {
  return new Date(Date.parse(endsAt) + HEALTH_KEPT_DAYS * DAY_MS);
}

/** `three questions`. */
export function countQuestions(count: number): string {
  return count === 1 ? 'one question' : `${countInWords(count)} questions`;
}

const capitalised = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

/** Texts of the questions on a registrant's page, and of the form that answers them. */
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
  hidden: 'Answered. What you wrote is not shown here.',
  health: {
    kept: `What you write about your health is read by the retreat office only, and deleted ${HEALTH_KEPT_DAYS} days after the retreat. You can take your consent back on your page at any time.`,
    keep: 'You have answered this. Leave it empty to keep your answer; what you write replaces it.',
    remove: 'Delete this answer',
    removeNow: 'Delete it',
    removeNote: 'You can take your consent back at any time. Your answer is then deleted at once.',
    removeSure: 'Yes, take my consent back',
  },
  form: {
    title: 'Questions for you',
    lede: (until: string) =>
      `The retreat office reads your answers, to prepare for you. You can change them until ${until}.`,
    required: 'required',
    choose: 'Please choose',
    noAnswer: 'No answer',
    submit: 'Save',
  },
  /** Those that name the question are read at the top of the form, too. */
  errors: {
    required: (question: string) => `Please answer: ${question}`,
    tooLong: (question: string) => `At most ${ANSWER_LENGTH} characters: ${question}`,
    noChoice: (question: string) => `Please choose one of the answers: ${question}`,
    noConsent:
      'Without your consent we cannot keep this answer. Please tick the box, or leave the answer empty',
  },
} as const;
