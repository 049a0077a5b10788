/** In place of `paid` where other parts of a payment plan are left; `part` is `Part 2 of 3`. */
export const partPaidNews = (part: string): string => `Thank you. ${part} of your payment plan has arrived.`;

/** The result of a press, shown once by the next page. */
export const newsWords = {
  paid: 'Thank you. Your payment has arrived.',
  'card-changed': 'Your new card is stored. Nothing was charged.',
  'letter-sent': 'The letter is on its way to you.',
  cancelled: 'You have cancelled. Below you see how long you can take it back.',
  kept: 'Your place is yours again. Below you see how it stands.',
  'details-corrected': 'Thank you. Your details are saved.',
  'address-asked':
    'A letter is on its way to the new address. Open its link and press the button there, and we write to it from then on.',
  'address-dropped': 'The address stays as it was.',
  'zone-chosen': 'From now on the hours on this page and in your letters follow the zone that you chose.',
  'publication-saved': 'Thank you. Your choice is saved.',
  'answers-saved': 'Thank you. Your answers are saved.',
  'health-removed': 'Your answer is deleted, and your consent is taken back.',
  'hand-over-agreed': 'Thank you. A letter with the link to your place is on its way to who is to get it.',
  'hand-over-ended': 'You keep your place: it is not handed over.',
  'plan-agreed':
    'Thank you. You have agreed to your payment plan, and a letter tells you before each part is charged.',
  'place-taken': 'Welcome. The place is yours, and a letter with the link to this page is on its way to you.',
  'letter-not-sent': 'The letter could not be sent just now. Please try again in a few minutes.',
  /** The page she saw was out of date. */
  changed:
    'Something had changed since you opened this page, so nothing was done. Please look at how it stands now, and press again if it is right.',
  'too-many': 'That was asked too often, so nothing was done. Please wait a while, or ask the office.',
} as const;
export type OwnPageNews = keyof typeof newsWords;
