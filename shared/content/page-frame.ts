import { TUITION_ID } from '#shared/page.ts';

export const pageFrame = {
  skipLink: 'Skip to the main content',
  reserveShort: 'Reserve',
  waitShort: 'Waitlist',
  askShort: 'Ask us',
  dueToday: 'today',
  reservedShort: 'Your place',
  menuLabel: 'Menu',
  sectionLinksLabel: 'Sections of this page',
  footerHeading: 'Questions before you decide?',
  footerText:
    'Write or call. A person in the retreat office answers, and no question about food, money or nerves is too small.',
  emailLabel: 'E-mail',
  phoneLabel: 'Phone',
  faxLabel: 'Fax',
  postalAddressLabel: 'Postal address',
  runBy: (legalName: string) => `Run by ${legalName}.`,
} as const;

export const reserveLabels = {
  open: 'Reserve your spot now',
  full: 'Join the waiting list',
  done: 'Your place is reserved',
  notYetOpen: 'Ask about the retreat',
  closed: 'Ask about the next retreat',
} as const;

export const sectionLinks = [
  { id: 'benefits', label: 'Benefits' },
  { id: 'sessions', label: 'Sessions' },
  { id: 'schedule', label: 'Schedule' },
  { id: TUITION_ID, label: 'Tuition' },
  { id: 'author', label: 'The teacher' },
  { id: 'faq', label: 'Questions' },
];

export const themeChoice = {
  legend: 'Color theme',
  system: 'As my device',
  light: 'Light',
  dark: 'Dark',
} as const;

export const lazyPartCopy = {
  loading: 'One moment …',
  failed:
    'This part of the page did not arrive. The connection may have dropped for a moment. What you have entered is kept.',
  missing:
    'We have updated this page since you opened it, and this part of the older one is gone. Please reload: what you have entered is kept, and you go on right here.',
  broken:
    'Something went wrong in this part of the page. It is not your doing, and what you have entered is kept. If reloading the page does not help, the retreat office will:',
  notStarted:
    'The part of the page that answers you did not arrive. The connection may have dropped for a moment, or we have just updated the page. What you have entered is kept.',
  retry: 'Try again',
  reload: 'Reload the page',
} as const;
