import { TUITION_ID } from '#shared/page.ts';

/** Texts around the sections: the links before them, and the footer. */
export const pageFrame = {
  skipLink: 'Skip to the main content',
  reserveShort: 'Reserve',
  askShort: 'Ask us',
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

/** The default label of a call to action. */
export const reserveLabel = 'Reserve your spot now';

/** The default label while the retreat is full. */
export const waitingLabel = 'Join the waiting list';

/** The same, for a visitor who has paid. */
export const reservedLabel = 'Your place is reserved';

/** The label once registration has closed. */
export const askLabel = 'Ask about the next retreat';

/** The label until registration opens. */
export const askBeforeLabel = 'Ask about the retreat';

export interface SectionLink {
  /** The section's in-page address. */
  id: string;
  label: string;
}

/** The header's links, in the page's order. */
export const sectionLinks: readonly SectionLink[] = [
  { id: 'benefits', label: 'Benefits' },
  { id: 'sessions', label: 'Sessions' },
  { id: 'schedule', label: 'Schedule' },
  { id: TUITION_ID, label: 'Tuition' },
  { id: 'author', label: 'The teacher' },
  { id: 'faq', label: 'Questions' },
];

/** The header's choice of theme (R1.15). */
export const themeChoice = {
  legend: 'Color theme',
  system: 'As my device',
  light: 'Light',
  dark: 'Dark',
} as const;
