export const waitingListCopy = {
  takenMeanwhile:
    'We are sorry: while you were registering, the last place was taken by somebody else. Nothing was charged.',
  intro: [
    'Places do open up: somebody’s plans change, or a payment is not finished. Leave us your details, and we will write to you if that happens. There is nothing to pay, and you can leave the list at any time.',
  ],
  formTitle: 'Join the waiting list',
  consent:
    'By joining, you agree that we may e-mail you about a place in this retreat. Each e-mail has a link that takes you off the list and deletes your details.',
  submit: 'Join the waiting list',
  register: 'Register now',
  notJoined: 'You are not on the list yet.',
  offline: 'Are you offline? You may not be on the list yet: please press the button again.',
  joined: 'One more step and you’re on the waiting list.',
  joinedMail: {
    queued: (email: string) =>
      `An e-mail is on its way to ${email}. Please press the button in it to join the list.`,
    later: (email: string) =>
      `Our e-mail is slow today: a message will come to ${email} a little later. Please press the button in it to join the list.`,
  },
  next: [
    'If a place opens up, the retreat office will write to you, usually in the order in which people joined. The e-mail has a link, and we keep the place for you for 48 hours. You pay only if you take it.',
    'We cannot promise that a place will open up.',
  ],
  questions: 'If you have a question, write or call:',
} as const;
