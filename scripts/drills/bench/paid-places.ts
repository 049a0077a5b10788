import { sampleLinkSecret, sandboxKeys } from '#scripts/product/environment.ts';
import { createPlaceLinks } from '#server/links/place-links.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { newRegistration } from './new-registration.ts';
import type { Stage } from './stage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Registers some people who pay their deposit; gives the cookies that open their pages. */
export function paidPlaces(
  { siteUrl, stripeUrl }: Pick<Stage, 'siteUrl' | 'stripeUrl'>,
  count: number,
): Promise<string[]> {
  const links = createPlaceLinks([sampleLinkSecret.LINK_SECRET], siteUrl);
  const expiresAt = new Date(Date.now() + DAY_MS);
  const register = async (number: number): Promise<string> => {
    const { headers, text: body } = newRegistration(number);
    const answer = await fetch(new URL(CREATE_PAYMENT_PATH, siteUrl), { method: 'POST', headers, body });
    const { paymentIntentClientSecret: secret }: { paymentIntentClientSecret?: unknown } =
      await answer.json();
    const deposit = String(secret).split('_secret_')[0] ?? '';
    await pay(deposit);
    return `place=${links.format({ deposit, epoch: 0, scope: 'session', expiresAt })}`;
  };
  const pay = async (deposit: string): Promise<void> => {
    const { ok, status } = await fetch(new URL(`/v1/payment_intents/${deposit}/confirm`, stripeUrl), {
      method: 'POST',
      headers: { Authorization: `Bearer ${sandboxKeys.STRIPE_SECRET_KEY}` },
      body: new URLSearchParams({ payment_method: 'pm_card_visa' }),
    });
    if (!ok) throw new Error(`A deposit was not paid: ${status}`);
  };
  return Promise.all(Array.from({ length: count }, (_, number) => register(number)));
}
