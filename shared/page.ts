export interface OfficeContact {
  officeEmail: string;
  officePhone: string;
  /** Null where people cannot cancel by fax. */
  officeFax: string | null;
  /** On one line; null where people cannot cancel by post. */
  officePostalAddress: string | null;
  officeLegalName: string | null;
}

/** When the balance is paid: on the due day, `lateDays` after the deposit, or when the office asks for it. */
export type BalanceTiming = 'on-due-day' | 'days-after-deposit' | 'asked-for';

/** What the page needs to know of the running site: configuration that is safe to publish. */
export interface SiteState extends OfficeContact {
  registrationOpen: boolean;
  registrationOpensOn?: string;
  /** All places are taken or held: the waiting list replaces the stepper. Absent while there are places. */
  isFull?: true;
  /** When the balance is charged for a deposit that is paid now; absent for the edition's due day. */
  balanceTiming?: BalanceTiming;
  stripePublishableKey: string;
  stripeScriptUrl: string | null;
  metaPixelId: string | null;
}

export const STATE_ELEMENT_ID = 'page-state';

/** The id of the element with the addresses of the registration's first form, and of all that it imports. */
export const STEPPER_ELEMENT_ID = 'stepper-files';

export const PRIVACY_PANEL_ID = 'privacy';
export const CONSENT_CHOICE_ID = 'consent-choice';

export const REGISTER_SECTION_ID = 'register-stepper';

export const POLICIES_ID = 'policies';

export const TUITION_ID = 'tuition';

/** The parts of the page that a text of an edition may link to. */
export const anchors: readonly string[] = [
  ...[
    'hero',
    'partners',
    'transform',
    'benefits',
    'sessions',
    'schedule',
    'testimonials',
    'author',
    'approach',
  ],
  ...['faq', 'media', 'closing', 'contact', TUITION_ID, POLICIES_ID, REGISTER_SECTION_ID],
];

export const PAGE_LANGUAGE = 'en';
export const PAGE_LOCALE = 'en_US';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const THEME_STORAGE_KEY = 'theme';

export function parseTheme(name: unknown): Theme {
  return themes.find((theme) => theme === name) ?? 'system';
}

export const REGISTERED_STORAGE_KEY = 'registered';
