/** Why a form could not be submitted, as the visitor is told. */
export interface FormFailure {
  /** What is wrong: the provider's words, the endpoint's, or the specification's (R4.4). */
  words: string;
  /** What became of her money, where the words do not say it. */
  reassurance?: string | undefined;
}
