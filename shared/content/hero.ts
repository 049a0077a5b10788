/** The first screen; the retreat's title and dates come from the edition. */
export const hero = {
  headline: 'What if food was never the problem?',
  lede: 'For four days in January, put down the diets and the blame. Sit with a bestselling author and a circle of women, live and online, and find out what your eating has been trying to tell you.',
  benefits: [
    'Hear your hunger and your fullness again, and trust what you hear',
    'Answer the critic in your head with something kinder, and truer',
    'Leave with practices, recordings and company that outlast the four days',
  ],
} as const;
