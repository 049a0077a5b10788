import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { LETTER_QUERY, REGISTER_SECTION_ID } from '#shared/page.ts';
import type { SomeLetters } from './letter-kind.ts';
import { paragraph } from './render/letter.ts';
import { pageUrlOf } from './render/links.ts';

/** To the registrant, as soon as the contact step is done (R5.3). */
export const registrationReceived = {
  'registration-received': {
    name: 'Your registration has arrived',
    subject: ({ facts }) => `We have your details for ${facts.title}`,
    names: 'probable ones',
    /** To an address with a paid place it names nobody, since several people may use the address. */
    says({ addressHasPlace, paymentIntentId }, { facts }, context) {
      const { email, phone } = context.office;
      const deposit = formatCents(facts.prices.depositCents);
      const days = formatDateRange(facts.startDate, facts.endDate);
      const pageUrl = pageUrlOf(context);
      const placeUrl = new URL(OWN_PAGE_PATH, pageUrl).href;
      const entered = `You received this e-mail because your address was entered at ${pageUrl}. If that was not you, tell us and we will delete`;
      const href = wayBack(pageUrl, paymentIntentId);
      if (addressHasPlace)
        return {
          preheader: 'Unless it is for somebody else, there is nothing to do and nothing to pay.',
          title: 'This address already has a place',
          blocks: [
            paragraph(
              `Thank you for taking this step toward ${facts.title}. Somebody has just begun a registration with your e-mail address.`,
            ),
            paragraph(
              `There is already a paid place for ${days} under this address. If it is your own, you are registered: there is nothing to do and nothing to pay. Simply leave the new registration as it is, and nothing is charged. You can see your place on your own page: enter this address at ${placeUrl}, and we send you the link. If you are not sure, ask us. We will gladly look it up for you.`,
            ),
            paragraph(
              `If it is for somebody else, also for somebody of the same name, we look forward to one more person at the table. That place is reserved once its own deposit of ${deposit} is paid, and nothing is charged until you confirm the payment yourself. If you have just paid it, the receipt and the schedule come in a second e-mail.`,
            ),
            paragraph(
              'Should you have paid for your own place once more, nothing is lost: we keep the second payment apart, write to you, and give all of it back.',
            ),
            paragraph(
              'For two days after the last change, the link below leads back to the new registration, in the browser where it was started.',
            ),
            { kind: 'button', label: 'Finish it for somebody else', href },
          ],
          questions: `To ask us, reply to this e-mail, write to ${email} or call ${phone}.`,
          reason: `${entered} what was entered.`,
        };
      return {
        preheader: `One step is left: with the deposit of ${deposit}, the place is yours.`,
        title: 'One step from your place',
        blocks: [
          paragraph(
            `Thank you for taking this step toward ${facts.title}. Your details have arrived safely, and we are glad that you are thinking of spending ${days} with us.`,
          ),
          paragraph(
            `The place is yours as soon as the deposit of ${deposit} is paid. If you have just paid it, there is nothing left to do: your receipt and the schedule come in a second e-mail.`,
          ),
          paragraph(
            'If something came between you and the payment, the way back is short. For two days after your last change, the link below leads back to where you were, in the browser where you began. Nothing is charged until you confirm the payment yourself.',
          ),
          { kind: 'button', label: 'Finish your registration', href },
        ],
        questions: `Is something unclear, or would you rather pay by check or with a payment plan? Reply to this e-mail, write to ${email} or call ${phone}.`,
        reason: `${entered} it.`,
      };
    },
    samples: () => ({ usual: {}, 'with-a-place': { addressHasPlace: true } }),
  },
} satisfies SomeLetters;

/**
 * The URL of the stepper. The payment's id is not a secret: it only finds what the registrant's own browser
 * has stored.
 */
function wayBack(pageUrl: string, paymentIntentId: string): string {
  const url = new URL(pageUrl);
  url.searchParams.set(LETTER_QUERY, paymentIntentId);
  url.hash = REGISTER_SECTION_ID;
  return url.href;
}
