import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { merge, reset, selectRegistration } from '#client/store/stepper-slice.ts';
import { forgetRegistrationKey } from './registration-key.ts';

/** The two ways to start over. */
export interface StartOver {
  /**
   * Forgets what was typed but keeps an open payment, which the next registration uses: with a second
   * payment, a late answer of the bank could lead to both being charged.
   */
  keepPayment: () => void;
  /** Forgets everything, so that another registration begins. */
  forgetAll: () => void;
}

/** Abandons the registration, in the page and in the browser's storage. */
export function useStartOver(): StartOver {
  const dispatch = useAppDispatch();
  const { idempotencyKey, paymentIntentClientSecret, amountCents, confirmationUnheard } =
    useAppSelector(selectRegistration);
  return {
    keepPayment() {
      dispatch(reset());
      dispatch(merge({ idempotencyKey, paymentIntentClientSecret, amountCents, confirmationUnheard }));
    },
    forgetAll() {
      forgetRegistrationKey(idempotencyKey);
      dispatch(reset());
    },
  };
}
