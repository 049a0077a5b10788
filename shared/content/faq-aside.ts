/** What stands beside the questions, for whom none of them is hers. */
export const faqAside = {
  text: 'If yours isn’t among them, ask it.',
  link: 'Write or call the retreat office',
} as const;
