export const consentCopy = {
  label: 'May we measure your visit?',
  text: 'May a social network’s measurement pixel tell us whether our advertisements reach the right people? It never learns your name, e-mail or phone.',
  more: 'What is kept, and where',
  granted: 'Yes, that’s fine',
  denied: 'No, thank you',
  remembered: 'Thank you. You can change your mind any time at the foot of the page.',
  choice: {
    title: 'Measuring your visit',
    unasked: 'You have not answered yet. Until you say yes, nothing is measured.',
    granted: 'You have said yes. You may take it back here, at once and without a reason.',
    denied: 'You have said no. Nothing of the pixel is loaded.',
    refusedByBrowser:
      'Your browser asks every page not to track you. We take that as a no: nothing of the pixel is loaded, and you were not asked.',
  },
} as const;
