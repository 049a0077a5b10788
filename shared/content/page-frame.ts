/** The words around the sections: the links before them and the foot of the page. */
export const pageFrame = {
  skipLink: 'Skip to the main content',
  reserveShort: 'Reserve',
  footerHeading: 'Questions before you decide?',
  footerText:
    'Write or call. A person in the retreat office answers, and no question about food, money or nerves is too small.',
  emailLabel: 'E-mail',
  phoneLabel: 'Phone',
} as const;

/** The label of a call to action that is given no other. */
export const reserveLabel = 'Reserve your spot now';
