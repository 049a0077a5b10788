import type { Facts } from '#shared/content/edition.ts';
import type { LaunchItem } from './launch-item.ts';

/** The longest name of a charge on card statements, of which the account's short name and `* ` take the rest. */
const STATEMENT_LENGTH = 22;

/**
 * What is to be set up in Stripe's dashboard for card payments: nothing in the configuration shows whether it was done.
 * @param publicUrl the site's address, as `PUBLIC_URL` has it
 */
export function launchCards(publicUrl: string, { statementSuffix }: Facts): LaunchItem[] {
  const domain = new URL(publicUrl).hostname;
  return [
    {
      id: 'wallet-domain',
      decides: 'engineer',
      says: `Apple Pay and Google Pay are shown only on domains that are registered at Stripe: register ${domain}, in the live mode too.`,
      source: 'https://docs.stripe.com/payments/payment-methods/pmd-registration',
    },
    {
      id: 'statement-name',
      decides: 'owner',
      says: statementWords(statementSuffix),
      source: 'https://docs.stripe.com/get-started/account/statement-descriptors',
    },
    {
      id: 'stored-card-usage',
      decides: 'engineer',
      says: 'The card networks are told that a card is stored for the instalments of one purchase: ask Stripe whether that is right for a deposit and its balance.',
      source: 'https://docs.stripe.com/payments/cards/save-and-reuse',
    },
  ];
}

function statementWords(suffix: string | undefined): string {
  if (suffix === undefined)
    return 'Card statements show the account’s name alone, as the edition has no `statementSuffix`: check in Stripe’s dashboard that registrants know this name.';
  const left = Math.min(10, STATEMENT_LENGTH - suffix.length - 2);
  return `Card statements end the name of a charge with “${suffix}”: set a shortened descriptor of ${left} characters at most in Stripe’s dashboard that registrants know.`;
}
