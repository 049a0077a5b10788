/** Texts shown in place of the stepper while no place is left. */
export const waitingListCopy = {
  /** For a visitor who had begun to register. */
  takenMeanwhile:
    'We are sorry: while you were registering, the last place was taken by somebody else. Nothing was charged.',
  intro: [
    'Places do become free: somebody’s plans change, or a payment is not finished. Leave us your details, and we write to you if that happens. There is nothing to pay, and you can leave the list at any time.',
  ],
  formTitle: 'Join the waiting list',
  consent:
    'By joining, you agree that we write to you about a place in this retreat. Each letter has a link that takes you off the list and deletes your details.',
  submit: 'Join the waiting list',
  /** Once there are places again. */
  register: 'Register now',
  /** Says whether she is on the list, below an error that does not say it. */
  notJoined: 'You are not on the list yet.',
  offline: 'Are you offline? You may not be on the list yet: please press the button again.',
  joined: 'One press more, and you are on the waiting list.',
  joinedMail: {
    queued: (email: string) =>
      `A letter is on its way to ${email}. Please press the button in it: it puts you on the list.`,
    later: (email: string) =>
      `Our mail is slow today: a letter will come to ${email} a little later. Please press the button in it: it puts you on the list.`,
  },
  next: [
    'If a place becomes free, the retreat office writes to you again, as a rule in the order in which people joined. The letter has a link, and the place is kept for you for 48 hours. You pay only if you take it.',
    'We cannot promise that a place becomes free.',
  ],
  questions: 'If you have a question, write or call:',
} as const;
