import { formatDollars } from '#shared/money.ts';
import { retreatPackage, SAVING } from '#shared/retreat-package.ts';

/** The last call to action; the dates come from the edition, the figures from the package. */
export const closing = {
  title: 'Ready to Transform Your Life?',
  stars: 5,
  community: 'Join thousands of women',
  prompt:
    'Your place in the circle is open. Reserve your spot today, and let January be about something kinder than a resolution.',
  closedPrompt: 'Registration for this retreat has closed. Write to us, and ask about the next one.',
  tuitionLabel: 'Early-bird tuition',
  tuition: formatDollars(retreatPackage.total),
  oldTuitionLabel: 'Regular tuition',
  oldTuition: formatDollars(retreatPackage.oldPrice),
  savingNote: `You save ${formatDollars(SAVING)}`,
  img: 'night-door',
} as const;
