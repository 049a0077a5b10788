/** Words of the consent to publication, where an edition has it apart from the terms (`publication: separate`). */
export const publicationWords = {
  /** What she ticks: recorded with her consent, and never changed once somebody has ticked it. */
  tick: 'My likeness and what I say during the retreat may be published. I can come without this, and can change it on my own page at any time.',
  title: 'Publication',
  agreed: 'You agreed that your likeness and what you say during the retreat may be published.',
  notAgreed: 'Your likeness and what you say during the retreat are not published.',
  submit: 'Save',
} as const;
