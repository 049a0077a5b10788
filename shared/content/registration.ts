import { formatCents, onWays } from '#shared/money.ts';
import type { Prices } from './edition.ts';

export interface RegistrationStep {
  label: string;
  /** An optional step can be skipped (R2.3). */
  optional: boolean;
}

export const registrationSteps: readonly RegistrationStep[] = [
  { label: 'Select Package', optional: false },
  { label: 'Contact info', optional: false },
  { label: 'Payment & Confirmation', optional: false },
];

export const registrationCopy = {
  title: 'Reserve your place',
  reserved: 'Your place is reserved',
  progressLabel: 'Registration steps',
  completedStep: 'completed',
  /** The number of the step, counted from 1. */
  stepOf: (step: number, steps: number) => `Step ${step} of ${steps}`,
  back: 'Back',
  skip: 'Skip',
  next: 'Next',
  finish: 'Finish',
  startOver: 'Start over',
  startingOver: {
    title: 'Start over?',
    text: 'The form will be empty again: what you have entered is removed from this browser. Details that you have already sent stay with us.',
    no: 'No, keep it',
    yes: 'Yes, forget it',
  },
  submitting: 'One moment …',
  loading: 'One moment …',
  retry: 'Try again',
  policies: 'Payment and cancellation policies',
  restOfPolicy: (title: string) => `Rest of the ${title}`,
  policiesToKeep: 'The policies in a new tab, to keep or print',
  package: {
    banner: (savingCents: number) => `Register Now – SAVE ${formatCents(savingCents)}`,
    rateLabel: 'EARLY BIRD RATE',
    oldPriceLabel: 'Regular tuition',
    priceLabel: 'Tuition today',
    depositLabel: 'Deposit due now',
    select: 'Reserve your spot now',
    reliefs: 'If your plans or your budget change, you can:',
    byCheck: (prices: Prices) =>
      onWays(
        prices,
        `Credit card payments include a ${prices.cardFee} processing fee. To pay by check without fees`,
      ) || 'To pay by check',
  },
  contact: {
    title: 'Get started now',
    firstName: 'First name',
    lastName: 'Last name',
    email: 'Email',
    phoneNumber: 'Phone',
    didYouMean: (email: string) => `Did you mean ${email}?`,
    dueNext: 'Deposit, due in the next step',
    nothingChargedHere: 'Nothing is charged in this step.',
  },
  payment: {
    confirmTitle: 'Confirm your information is correct',
    change: 'Change',
    changeWhat: 'your information',
    /** In a browser that takes a place from the waiting list, with somebody else's details. */
    paymentTitle: 'Enter your payment information',
    orCard: 'Or with the card above',
    billingName: 'Cardholder name',
    cardNumber: 'Card number',
    cardExpiry: 'Expiry',
    cardCvc: 'Security code',
    addressLine1: 'Street',
    addressLine2: 'Street, line 2 (optional)',
    addressCity: 'City',
    addressState: 'State/Province',
    addressPostalCode: 'Postal code',
    optional: (label: string) => `${label} (optional)`,
    addressCountry: 'Country',
    chooseCountry: 'Please choose',
    termsAgreement: 'I have read the policies above and agree to them.',
    onStatement: (suffix: string) => `On your card statement, the name of the charge ends with “${suffix}”.`,
    anotherCard: 'Use another card',
    cardNote:
      'Visa, Mastercard, American Express or Discover. Your card number goes straight to Stripe, our payment provider, who keeps it for the balance. We see only its last four digits.',
  },
  full: {
    title: 'Every place is taken',
    withoutScript:
      'All places at this retreat are taken or being reserved at this moment. Places do become free: if you would like one then, write or call:',
  },
  closed: {
    title: 'Registration has closed',
    text: 'Thank you for coming all the way down this page. This retreat no longer takes registrations. The next one will stand on this page as soon as it is open, so please look again here. If you would like to hear of it, or if you believe you have a place in this one, write or call:',
  },
  notYetOpen: {
    title: (date: string) => `Registration opens on ${date}`,
    text: 'Please look again here on that day, and until then, read in peace. If you have a question, or would like a word when it opens, write or call:',
  },
  withoutScript: {
    title: 'Registering without JavaScript',
    text: 'The registration form needs JavaScript, which is switched off or did not arrive. You can register with the retreat office just as well, by e-mail or by phone:',
  },
  /** Says whether she was charged, below an error that does not say it. */
  reassurance: {
    nothingCharged: 'Nothing was charged.',
    offline: 'Are you offline? Nothing was charged.',
    unheard:
      'The connection was lost while you were paying. When it is back, please press the button again: if the payment went through, we will find it, and you will not be charged twice.',
  },
  errorHelp: 'The retreat office will gladly help:',
  completion: 'Your transaction has been completed. Welcome to the retreat.',
  charged: (amount: string) => `Your card was charged the down payment of ${amount} in US dollars.`,
} as const;
