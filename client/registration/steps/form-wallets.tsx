import type { ComponentProps } from 'react';
import { formValueSelector } from 'redux-form';
import { fieldId } from '#client/registration/fields/form-field.tsx';
import { Wallets } from '#client/registration/payment/wallets.tsx';
import { type RootState, useAppSelector } from '#client/store/store.ts';

interface FormWalletsProps extends Pick<ComponentProps<typeof Wallets>, 'amountCents' | 'onPay'> {
  /** The payment form's name in the store. */
  form: string;
  /** Whether the form is being submitted: no sheet opens. */
  busy: boolean;
  /** Runs on a press instead of opening the sheet, once the payment is closed. */
  onReplacePayment: (() => void) | undefined;
  touch: (field: string) => void;
}

/** The wallets in the payment form: of its fields they need only its ticks, and a sheet opens only with that of the terms. */
export function FormWallets({ form, busy, onReplacePayment, touch, onPay, amountCents }: FormWalletsProps) {
  const agreed = useTick(form, 'termsAgreement');
  const publication = useTick(form, 'publication');
  const mayOpen = (): boolean => {
    if (busy) return false;
    if (onReplacePayment) onReplacePayment();
    else if (!agreed) leadToTerms();
    return agreed && !onReplacePayment;
  };
  const leadToTerms = (): void => {
    touch('termsAgreement');
    const tick = document.getElementById(fieldId('termsAgreement'));
    tick?.scrollIntoView({ block: 'center' });
    tick?.focus({ preventScroll: true });
  };
  return (
    <Wallets
      amountCents={amountCents}
      mayOpen={mayOpen}
      onPay={(wallet, details) => onPay(wallet, { ...details, termsAgreement: true, publication })}
    />
  );
}

/** Whether a checkbox of the form is set. */
function useTick(form: string, name: 'termsAgreement' | 'publication'): boolean {
  return useAppSelector((state): unknown => formValueSelector<RootState>(form)(state, name)) === true;
}
