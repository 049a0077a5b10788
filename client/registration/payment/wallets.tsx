import { Elements, ExpressCheckoutElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type {
  StripeElements,
  StripeElementsOptionsMode,
  StripeExpressCheckoutElementAvailablePaymentMethodsChangeEvent,
  StripeExpressCheckoutElementClickEvent,
  StripeExpressCheckoutElementConfirmEvent,
  StripeExpressCheckoutElementOptions,
} from '@stripe/stripe-js';
import { useState } from 'react';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { typedNumber, typedText } from '#shared/typed-text.ts';
import { useThemed } from './card-fields.tsx';
import type { PaidDetails } from './pay.ts';

interface WalletsProps {
  /** What the wallet's sheet asks for, in US cents. */
  amountCents: number;
  mayOpen: () => boolean;
  onPay: (wallet: StripeElements, details: PaidDetails) => Promise<boolean>;
}

/**
 * The buttons of Apple Pay, Google Pay and Link; nothing on a device that has none. They are a group of elements of
 * their own: Stripe documents none that has both them and the split card fields.
 * @see https://docs.stripe.com/elements/express-checkout-element
 */
export function Wallets(props: WalletsProps) {
  const stripe = useStripe();
  const scheme = useThemed(readScheme);
  return (
    <Elements stripe={stripe} options={groupOptions(props.amountCents)}>
      {/* The theme of the buttons cannot be changed once they are there. */}
      <WalletButtons key={scheme} {...props} isDark={scheme === 'dark'} />
    </Elements>
  );
}

/** Cards only, as the deposit's payment has it, and stored as it stores them. */
function groupOptions(amount: number): StripeElementsOptionsMode {
  return {
    mode: 'payment',
    amount,
    currency: 'usd',
    setupFutureUsage: 'off_session',
    allowedPaymentMethodTypes: ['card'],
    paymentMethodCreation: 'manual',
    appearance: { variables: { borderRadius: '8px' } },
  };
}

/**
 * What cannot be charged later in the way that a card can. Link gives a card where nothing else is accepted.
 * @see https://docs.stripe.com/payments/link/link-payment-integrations?link-integrations=link-card-integrations
 */
const METHODS = { amazonPay: 'never', klarna: 'never', paypal: 'never' } as const;

const readScheme = (): string => getComputedStyle(document.documentElement).getPropertyValue('color-scheme');

function WalletButtons({ amountCents, mayOpen, onPay, isDark }: WalletsProps & { isDark: boolean }) {
  const elements = useElements();
  const [shown, show] = useState(false);

  const change = ({ paymentMethods }: StripeExpressCheckoutElementAvailablePaymentMethodsChangeEvent) => {
    const has = Object.values(paymentMethods ?? {}).some((wallet) => wallet?.available);
    show(has);
  };
  const click = ({ resolve, reject }: StripeExpressCheckoutElementClickEvent) => {
    const lineItems = [{ name: facts.retreatPackage.description, amount: amountCents }];
    if (mayOpen()) resolve({ lineItems });
    else reject();
  };
  const confirm = async ({ billingDetails, paymentFailed }: StripeExpressCheckoutElementConfirmEvent) => {
    const isPaid = elements !== null && (await onPay(elements, detailsOf(billingDetails)));
    if (!isPaid) paymentFailed({ reason: 'fail' });
  };
  return (
    <div className={shown ? 'wallets' : 'wallets wallets--absent'}>
      <ExpressCheckoutElement
        options={buttonOptions(isDark)}
        onAvailablePaymentMethodsChange={change}
        onClick={click}
        onConfirm={confirm}
      />
      <p className="card-note">{registrationCopy.payment.orCard}</p>
    </div>
  );
}

function buttonOptions(isDark: boolean): StripeExpressCheckoutElementOptions {
  const theme = isDark ? 'white' : 'black';
  return {
    billingAddressRequired: true,
    buttonHeight: 52,
    buttonTheme: { applePay: theme, googlePay: theme },
    paymentMethods: METHODS,
  };
}

/** What the wallet knows, under the names that the form has for it. Stripe's types promise more than each wallet tells. */
function detailsOf(given: StripeExpressCheckoutElementConfirmEvent['billingDetails']): PaidDetails {
  const address: Partial<Record<string, string | null>> = given?.address ?? {};
  const { line1, line2, city, state, postal_code, country } = address;
  return {
    billingName: typedText(given?.name ?? ''),
    addressLine1: typedText(line1 ?? ''),
    addressLine2: typedText(line2 ?? ''),
    addressCity: typedText(city ?? ''),
    addressState: typedText(state ?? ''),
    addressPostalCode: typedNumber(postal_code ?? ''),
    addressCountry: country ?? '',
  };
}
