import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { merge, reset, selectRegistration } from '#client/store/stepper-slice.ts';
import { forgetRegistrationKey } from './registration-key.ts';

/** What there is to start over from. */
export interface StartOver {
  /**
   * Forgets what was typed. A payment that is still open is gone on with by whatever is registered next: were another
   * one made, the bank's late word could charge both.
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
