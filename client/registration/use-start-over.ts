import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { reset, selectRegistration } from '#client/store/stepper-slice.ts';
import { forgetRegistrationKey } from './registration-key.ts';

/** Forgets this registration, in the page and in the browser's storage, so that another one can begin. */
export function useStartOver(): () => void {
  const dispatch = useAppDispatch();
  const { idempotencyKey } = useAppSelector(selectRegistration);
  return () => {
    forgetRegistrationKey(idempotencyKey);
    dispatch(reset());
  };
}
