import { createSlice, type PayloadAction } from '@reduxjs/toolkit';
import { registrationSteps } from '#shared/content/registration.ts';
import type { Contact, CreatePaymentResponse, PaymentDetails } from '#shared/registration.ts';

export interface CardPaymentIntent {
  id: string;
  /** US cents. */
  amount: number;
}

/** All that the stepper collects, under the specification's names (R2.10). Card data is never among it. */
export interface RegistrationData
  extends Partial<Contact>,
    Partial<Omit<PaymentDetails, 'cardNumber' | 'cardExpiry' | 'cardCvc'>> {
  package?: string | undefined;
  liveStreamingPass?: string;
  paymentIntentClientSecret?: string | undefined;
  /** The payment's amount in US cents, as far as it is known. */
  amountCents?: number | undefined;
  cardPaymentIntent?: CardPaymentIntent | undefined;
  /** Whether her mails are queued, or will be sent once mail works again. */
  confirmationMail?: CreatePaymentResponse['confirmationMail'] | undefined;
  /** Names this registration to the endpoint across repeated submits (R4.5). */
  idempotencyKey?: string | undefined;
  /** Contact details that were sent to the endpoint and got no answer: a payment may have been made with them. */
  unanswered?: Contact | undefined;
  /** A confirmation of the payment was sent, and its outcome is not known: the card may have been charged. */
  confirmationUnheard?: true | undefined;
  /** Something other than the visitor filled in the honeypot: its value is no longer sent. */
  hiddenFieldFilled?: true;
}

/** The id of a registration's payment, which is no secret; undefined before there is one. */
export function paymentIdOf({ paymentIntentClientSecret }: RegistrationData): string | undefined {
  return paymentIntentClientSecret?.split('_secret_')[0];
}

/** The registration stepper (R2.1). `activeStep` equals the number of steps in the completion view. */
export interface StepperState {
  activeStep: number;
  skipped: Record<number, boolean>;
  data: RegistrationData;
  /**
   * Values typed but not submitted before the page was unloaded, by form name; each form restores its own.
   */
  drafts: Record<string, Record<string, string>>;
}

const initialState: StepperState = { activeStep: 0, skipped: {}, data: {}, drafts: {} };

/** Never goes beyond the completion view, even if two answers both report the payment as paid. */
function advance(stepper: StepperState): void {
  stepper.activeStep = Math.min(stepper.activeStep + 1, registrationSteps.length);
}

export const stepperSlice = createSlice({
  name: 'stepper',
  initialState,
  reducers: {
    next(stepper, action: PayloadAction<RegistrationData>) {
      stepper.skipped[stepper.activeStep] = false;
      advance(stepper);
      Object.assign(stepper.data, action.payload);
    },
    skip(stepper) {
      stepper.skipped[stepper.activeStep] = true;
      advance(stepper);
    },
    back(stepper) {
      stepper.activeStep = Math.max(0, stepper.activeStep - 1);
    },
    merge(stepper, action: PayloadAction<RegistrationData>) {
      Object.assign(stepper.data, action.payload);
    },
    reset: () => initialState,
    restore: (_stepper, action: PayloadAction<StepperState>) => action.payload,
    draftTaken(stepper, action: PayloadAction<string>) {
      delete stepper.drafts[action.payload];
    },
  },
  selectors: {
    selectActiveStep: (stepper) => stepper.activeStep,
    selectRegistration: (stepper) => stepper.data,
    /** Whether she has a payment, paid or open: then a place is held for her. */
    selectHasPayment: ({ activeStep, data }) =>
      data.paymentIntentClientSecret !== undefined || activeStep >= registrationSteps.length,
    selectDraft: (stepper, form: string) => stepper.drafts[form],
    selectStepCompleted: (stepper, step: number) => step < stepper.activeStep && !stepper.skipped[step],
  },
});

export const { next, skip, back, merge, reset, restore, draftTaken } = stepperSlice.actions;
export const { selectActiveStep, selectRegistration, selectHasPayment, selectDraft, selectStepCompleted } =
  stepperSlice.selectors;
