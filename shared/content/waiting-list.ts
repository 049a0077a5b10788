/** What visitors read in the stepper's place while no place is left. */
export const waitingListCopy = {
  /** To who had begun to register. */
  takenMeanwhile:
    'We are sorry: while you were registering, the last place was taken by somebody else. Nothing was charged.',
  text: 'Places do become free: somebody’s plans change, or a payment is not finished. If you would like one then, or have a question, write or call:',
} as const;
